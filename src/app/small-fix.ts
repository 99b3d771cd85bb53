/** Searches the files of a commit or a folder for the fix of a small mistake. */

import { z } from 'zod';
import {
  type Failure,
  type Fix,
  type FixAnswer,
  type FixQuestion,
  fixOf,
  fixQuestion,
  NO_FIX_REASONS,
  type NoFix,
  planFix,
} from '../diagnosis/fix/suggest-fix.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { scriptText } from '../host/python/script.ts';
import { runPython } from '../host/python-child.ts';

const answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('fix'), text: z.string() }),
  z.strictObject({ kind: z.literal('none'), reason: z.enum(NO_FIX_REASONS) }),
]);

/** Unknown if `interpreter` is not on `path` or fails. */
export async function fixSmallMistake(
  question: FixQuestion,
  interpreter: string,
  path: string,
): Promise<Observed<FixAnswer>> {
  const outcome = await runPython({
    interpreter,
    script: scriptText('suggest_fix.py'),
    input: JSON.stringify(question),
    path,
  });
  return outcome.ok ? known(answer.parse(JSON.parse(outcome.stdout))) : unknown(outcome.reason);
}

type FixSource = {
  readonly paths: () => Promise<readonly string[]>;
  /** Null if it is no file or not exact UTF-8 text. */
  readonly textOf: (path: string) => Promise<string | null>;
  readonly mayChange: (path: string) => boolean;
};

/** Reads at most two files: the failing one, and the one it imports names from. Unknown if Python fails. */
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
