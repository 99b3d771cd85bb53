/** Every comment of fixtures/comments is parsed as documented there. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readComment } from '../../src/commands/grammar/read-comment.ts';
import { ERROR_CODES, IGNORE_REASONS, type Reading } from '../../src/commands/grammar/reading.ts';
import { TEST_REGISTRY } from './test-registry.ts';

const FOLDER = new URL('../../fixtures/comments/', import.meta.url);

const place = [z.string(), z.int().min(1), z.int().min(1)] as const;
const CASES = z.array(
  z.strictObject({
    name: z.string(),
    why: z.string().min(5),
    comment: z.string(),
    repeat: z.tuple([z.string(), z.int()]).optional(),
    fenced: z.literal(true).optional(),
    otherBots: z.array(z.string()).default(['/lgtm', '/assign']),
    commands: z.array(z.tuple([...place, z.record(z.string(), z.string())])).default([]),
    errors: z.array(z.tuple([...place, z.enum(ERROR_CODES)], z.string())).default([]),
    ignored: z.array(z.tuple([...place, z.enum(IGNORE_REASONS)])).default([]),
  }),
);
type Case = z.infer<typeof CASES>[number];

const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yml'))
  .map((file) => ({ file, cases: CASES.parse(parse(readFileSync(new URL(file, FOLDER), 'utf8'))) }));
const ALL = FILES.flatMap(({ cases }) => cases);

describe.each(FILES)('comments of $file', ({ cases }) => {
  it.each(cases.map((c) => [c.name, c] as const))('%s', (_name, c) => {
    const reading = readComment(bodyOf(c), TEST_REGISTRY, { otherBots: c.otherBots });
    expect(shortened(reading)).toEqual({ commands: c.commands, errors: c.errors, ignored: c.ignored });
  });
});

describe('the corpus', () => {
  it('is large, and contains every code and every reason', () => {
    expect(ALL.length).toBeGreaterThanOrEqual(150);
    expect(new Set(ALL.flatMap((c) => c.errors.map(([, , , code]) => code)))).toEqual(new Set(ERROR_CODES));
    expect(new Set(ALL.flatMap((c) => c.ignored.map(([, , , reason]) => reason)))).toEqual(new Set(IGNORE_REASONS));
  });
});

function bodyOf({ comment, repeat, fenced }: Case): string {
  const long = repeat === undefined ? '' : repeat[0].repeat(repeat[1]);
  return fenced ? `\`\`\`\n${long}\`\`\`\n${comment}` : long + comment;
}

function shortened({ commands, errors, ignored }: Reading): object {
  return {
    commands: commands.map((c) => [c.name, c.line, c.column, c.args]),
    errors: errors.map((e) => [e.word, e.line, e.column, e.code, ...(e.suggest === undefined ? [] : [e.suggest])]),
    ignored: ignored.map((i) => [i.word, i.line, i.column, i.reason]),
  };
}
