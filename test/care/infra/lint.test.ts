// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a shell, not templates
/** The lint of set-up commands on a corpus of good, bad and unclear ones, each with its reason (fixtures/infra/snippets.yml). */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { lintInfra, type SetupEntry } from '../../../src/care/infra/lint.ts';
import { parseShell } from '../../../src/care/infra/shell-parse.ts';

const snippet = z.strictObject({
  why: z.string(),
  list: z.string().default('setup_commands'),
  entries: z.array(z.string()),
  setup: z.array(z.string()).default([]),
  says: z.array(z.string()).default([]),
});
const corpus = z
  .record(z.enum(['good', 'bad', 'unclear']), z.array(snippet))
  .parse(parse(readFileSync(join(import.meta.dirname, '../../../fixtures/infra/snippets.yml'), 'utf8')));

/** Entries one below the other, as in a file. */
function entriesOf({ list, entries, setup }: z.infer<typeof snippet>): readonly SetupEntry[] {
  let line = 1;
  const all = [
    ...entries.map((text) => ({ key: list, text })),
    ...setup.map((text) => ({ key: 'setup_commands', text })),
  ];
  return all.map(({ key, text }) => {
    const entry = { key, text, line };
    line += text.split('\n').length;
    return entry;
  });
}

const said = (one: z.infer<typeof snippet>): readonly string[] =>
  lintInfra(entriesOf(one), []).map(({ code, line }) => `${code}@${line}`);

describe.each(Object.entries(corpus))('%s set-up commands', (_kind, snippets) => {
  test.each(snippets.map((one) => [one.why, one] as const))('%s', (_why, one) => {
    expect(said(one)).toEqual(one.says);
  });
});

test('the corpus is not small', () => {
  expect(Object.values(corpus).flat().length).toBeGreaterThanOrEqual(20);
});

test('a mount point that the config names is watched where no command mounts it', () => {
  const entries = [{ key: 'setup_commands', text: 'mkdir -p /mnt/gcs/models', line: 7 }];
  expect(lintInfra(entries, [])).toEqual([]);
  expect(lintInfra(entries, ['/mnt/gcs'])).toMatchObject([{ code: 'write-unguarded', line: 7 }]);
});

test('a variable that doubles itself is read in bounded time and memory', () => {
  const text = `${'A=$A$A/x\n'.repeat(200)}echo ${'$A'.repeat(10_000)}\ngcsfuse b $A || true`;
  const findings = lintInfra([{ key: 'setup_commands', text, line: 1 }], []);
  expect(findings.at(-1)).toMatchObject({ code: 'mount-unchecked', line: 202 });
  expect(Math.max(...findings.map(({ what }) => what.length))).toBeLessThan(10_000);
});

test('any text is read, or said not to be understood', () => {
  const parts = fc.constantFrom(
    'gcsfuse b /m/p',
    'set -e',
    '&&',
    '||',
    ';',
    '\n',
    '|',
    '(',
    ')',
    '{',
    '}',
    'if',
    'then',
    'fi',
    'else',
    '!',
    '"',
    "'",
    '$(',
    '>',
    '/m/p/x',
    'mkdir',
    '#',
    '\\',
    '&',
    'exit 1',
    'while',
    'until',
    'for',
    'do',
    'done',
    'elif',
    '[[',
    ']]',
    'M=/m/p',
    '${M}/y',
    'bash -c "cd $M; touch z"',
    '<<END',
    '\nEND\n',
    '`date`',
    'break',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 14 }), (words) => {
      const text = words.join(' ');
      expect(['read', 'not-understood']).toContain(parseShell(text).kind);
      lintInfra([{ key: 'setup_commands', text, line: 1 }], ['/m/p']);
    }),
    { numRuns: 500 },
  );
});
