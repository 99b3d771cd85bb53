/** Searches a commit or a folder for the fix of a small mistake. */

import { z } from 'zod';
import { type Failure, type FixPlan, NO_FIX_REASONS, type NoFix, planFix } from '../diagnosis/fix/suggest-fix.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed, unknown } from '../domain/values.ts';
import { scriptText } from '../host/python/script.ts';
import { runPythonScript } from '../host/python-child.ts';

/** `text`: the whole corrected file, which CPython can compile. `diff`: the same change for people. */
const answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('fix'), text: z.string(), diff: z.string() }),
  z.strictObject({ kind: z.literal('none'), reason: z.enum(NO_FIX_REASONS) }),
]);
export type FixAnswer = z.infer<typeof answer>;

/** A question to a Python interpreter: the mistake, and the texts of the files in the plan. */
export type FixQuestion = FixPlan & { readonly text: string };

/** `line`: the line of the failure, from the log. */
export type Fix = Extract<FixAnswer, { kind: 'fix' }> & Pick<FixPlan, 'path' | 'line'>;

/** Unknown if `interpreter` is not on `path` or fails. */
export async function askPythonForFix(
  question: FixQuestion,
  interpreter: string,
  path: string,
): Promise<Observed<FixAnswer>> {
  const outcome = await runPythonScript({
    interpreter,
    script: scriptText('suggest_fix.py'),
    input: JSON.stringify(question),
    path,
  });
  return outcome.ok ? known(answer.parse(JSON.parse(outcome.stdout))) : unknown(outcome.reason);
}

type FixSource = {
  readonly paths: () => Promise<readonly string[]>;
  /** Null if it is not a file or not exact UTF-8 text. */
  readonly textOf: (path: string) => Promise<string | null>;
  readonly mayChange: (path: string) => boolean;
};

/** Reads at most two files: the failing file, and the file that it imports names from. Unknown if Python fails. */
export async function smallFix(
  { paths, textOf, mayChange }: FixSource,
  failure: Failure,
  ask: (question: FixQuestion) => Promise<Observed<FixAnswer>>,
): Promise<Observed<Fix | NoFix>> {
  const noFix = (reason: NoFix['reason']): Observed<NoFix> => known({ kind: 'none', reason });
  const plan = planFix(failure, await paths());
  if ('kind' in plan) return known(plan);
  const { path, line } = plan;
  if (!mayChange(path)) return noFix('outside-scope');
  const text = await textOf(path);
  const asked = plan.definingFile === null ? null : await textOf(plan.definingFile);
  if (text === null || (plan.definingFile !== null && asked === null)) return noFix('not-in-tree');
  if (Math.max(text.length, asked?.length ?? 0) > limits.fixedFileCharsMax) return noFix('too-long');
  const found = await ask({ ...plan, text, definingFile: asked });
  if (found.kind === 'unknown') return found;
  return known(found.value.kind === 'none' ? found.value : { ...found.value, path, line });
}
