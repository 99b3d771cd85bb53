/** The rules of the policies as this project words them: fixtures/policy/rules.yml, read once and checked. */

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

/** The policies, in the order of docs/policy-coverage.md. */
export const POLICY_FILES = [
  'daily-ferry.md',
  'job-monitoring-loop.md',
  'hero-run.md',
  'vast-ai.md',
  'agent-guidelines.md',
] as const;

const common = {
  id: z.string().regex(/^(AG|DF|HR|ML|VA)-\d{2,3}$/),
  file: z.enum(POLICY_FILES),
  section: z.string().min(1),
  rule: z.string().min(10).max(400),
  /** Marks of the policies' sentences that it words. */
  sentences: z.array(z.string().regex(/^[0-9a-f]{10}$/)).min(1),
};
const rule = z.discriminatedUnion('status', [
  z.strictObject({ ...common, status: z.literal('open'), reason: z.string().min(30).optional() }),
  // What replaces the marked line of code, so that the rule no longer holds. `second` stands in for the generated mutant.
  z.strictObject({ ...common, status: z.literal('shown'), mutant: z.string(), second: z.string().optional() }),
  z.strictObject({ ...common, status: z.literal('deviation'), reason: z.string().min(30) }),
]);

export type Rule = z.infer<typeof rule>;
/** A rule whose code and test are marked (`marks.ts`). */
export type ShownRule = Extract<Rule, { readonly status: 'shown' }>;

/** All rules. Throws when the file is malformed or an id is used twice. */
export async function readRules(file: string): Promise<readonly Rule[]> {
  const { rules } = z.strictObject({ rules: z.array(rule).min(1) }).parse(parse(await readFile(file, 'utf8')));
  const twice = rules.filter(({ id }, index) => rules.findIndex((other) => other.id === id) !== index);
  if (twice.length > 0) throw new Error(`used twice: ${twice.map(({ id }) => id).join(', ')}`);
  return rules;
}
