/** The corpus of fixtures/delta as values: pairs of files, each with its reason and the expected delta. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { BUCKETS } from '../../src/domain/launch/change-facts.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/delta');

const value = z.string().nullable();
const change = z.strictObject({
  knob: z.string(),
  path: z.string(),
  before: value,
  after: value,
  bucket: z.enum(BUCKETS).nullable(),
  line: z.number(),
});
const expectation = z.union([
  z.literal('none'),
  z.array(change),
  z.strictObject({
    structural: z.enum(['base', 'head']),
    line: z.number().optional(),
    statement: z.string().optional(),
  }),
  z.strictObject({ unparsable: z.enum(['base', 'head']), line: z.number() }),
]);
const entry = z.strictObject({
  name: z.string(),
  reason: z.string().min(1),
  base: z.string().optional(),
  head: z.string().optional(),
  headRepeat: z.tuple([z.string(), z.number(), z.string(), z.string()]).optional(),
  file: z.string().optional(),
  headFile: z.string().optional(),
  replace: z.array(z.tuple([z.string(), z.string()])).optional(),
  expect: expectation.optional(),
  line: z.number().optional(),
  lineAnywhere: z.boolean().optional(),
  /** The oldest Python that can read it: `3.12`. An older one rejects the file. */
  python: z
    .string()
    .regex(/^3\.\d+$/)
    .optional(),
});
type Entry = z.infer<typeof entry>;

export type Expectation = z.infer<typeof expectation> | { unparsable: 'base' | 'head'; line: number | null };
export type CorpusCase = {
  readonly group: string;
  readonly name: string;
  readonly reason: string;
  readonly base: string;
  readonly head: string;
  readonly expect: Expectation;
  /** The oldest minor version of Python 3 that can read it. */
  readonly python: number;
};

/** Every case, in file order. */
export function readCorpus(): readonly CorpusCase[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yml'))
    .sort()
    .flatMap((group) =>
      z
        .array(entry)
        .parse(parse(readFileSync(join(FOLDER, group), 'utf8')))
        .map((one) => toCase(group, one)),
    );
}

function toCase(group: string, one: Entry): CorpusCase {
  const { name, reason } = one;
  const python = Number(one.python?.slice('3.'.length) ?? 0);
  const expect = one.expect ?? {
    unparsable: one.base === undefined ? ('head' as const) : ('base' as const),
    line: one.lineAnywhere === true ? null : (one.line ?? null),
  };
  if (one.file !== undefined) {
    const base = readFileSync(join(FOLDER, one.file), 'utf8');
    const start = one.headFile === undefined ? base : readFileSync(join(FOLDER, one.headFile), 'utf8');
    const head = (one.replace ?? []).reduce((text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`${name}: nothing to replace: ${from}`);
      return text.replace(from, () => to);
    }, start);
    return { group, name, reason, base, head, expect, python };
  }
  const [open = '', count = 0, middle = '', close = ''] = one.headRepeat ?? [];
  const head = one.head ?? `${open.repeat(count)}${middle}${close.repeat(count)}\n`;
  return { group, name, reason, base: one.base ?? '', head, expect, python };
}
