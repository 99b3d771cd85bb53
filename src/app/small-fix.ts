/** Looks for the fix of a slip in the files of one commit, or of a folder. */

import type { NoFix } from '../diagnosis/fix/no-fix.ts';
import { type Failure, type Fix, planFix, suggestFix } from '../diagnosis/fix/suggest-fix.ts';
import type { PythonParser } from '../domain/python-syntax.ts';

export type FixSource = {
  readonly paths: () => Promise<readonly string[]>;
  /** Null for what is no file, or is no text byte for byte. */
  readonly textOf: (path: string) => Promise<string | null>;
  /** Whether a fix may change this file. */
  readonly mayChange: (path: string) => boolean;
};

/** Reads at most two files: the one that failed, and the one whose names it asked for. */
export async function smallFix(
  { paths, textOf, mayChange }: FixSource,
  failure: Failure,
  parser: () => Promise<PythonParser>,
): Promise<Fix | NoFix> {
  const plan = planFix(failure, await paths());
  if ('kind' in plan) return plan;
  if (!mayChange(plan.path)) return { kind: 'none', reason: 'outside-scope' };
  const text = await textOf(plan.path);
  const asked = plan.asked === null ? null : await textOf(plan.asked);
  if (text === null || (plan.asked !== null && asked === null))
    return { kind: 'none', reason: 'not-in-tree' };
  return suggestFix(plan, text, asked, await parser());
}
