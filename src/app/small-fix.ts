/** Looks for the fix of a small mistake in the files of one commit, or of a folder. */

import type { NoFix } from '../diagnosis/fix/no-fix.ts';
import {
  type Failure,
  type Fix,
  type FixAnswer,
  type FixQuestion,
  fixOf,
  fixQuestion,
  planFix,
} from '../diagnosis/fix/suggest-fix.ts';
import { known, type Observed } from '../domain/observed.ts';

export type FixSource = {
  readonly paths: () => Promise<readonly string[]>;
  /** Null for what is no file, or is no text byte for byte. */
  readonly textOf: (path: string) => Promise<string | null>;
  /** Whether a fix may change this file. */
  readonly mayChange: (path: string) => boolean;
};

/** Reads at most two files: the one that failed, and the one whose names it asked for. Unknown when Python does not answer. */
export async function smallFix(
  { paths, textOf, mayChange }: FixSource,
  failure: Failure,
  ask: (question: FixQuestion) => Promise<Observed<FixAnswer>>,
): Promise<Observed<Fix | NoFix>> {
  const plan = planFix(failure, await paths());
  if ('kind' in plan) return known(plan);
  if (!mayChange(plan.path)) return known({ kind: 'none', reason: 'outside-scope' });
  const text = await textOf(plan.path);
  const asked = plan.asked === null ? null : await textOf(plan.asked);
  if (text === null || (plan.asked !== null && asked === null))
    return known({ kind: 'none', reason: 'not-in-tree' });
  const question = fixQuestion(plan, text, asked);
  if ('kind' in question) return known(question);
  const answer = await ask(question);
  return answer.kind === 'known' ? known(fixOf(plan, text, answer.value)) : answer;
}
