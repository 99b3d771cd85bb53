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

/** All other files of a tree together may be as long as this many of the longest ones. */
const SMALL_FILES = 10;

type FixSource = {
  readonly paths: () => Promise<readonly string[]>;
  /** Null if it is not a file or not exact UTF-8 text. */
  readonly textOf: (path: string) => Promise<string | null>;
  readonly mayChange: (path: string) => boolean;
};

/** Reads the failing file and those that may define the name. Unknown if Python fails. */
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
  const read = (await Promise.all(plan.definingFiles.map((one) => textOf(one)))).filter((one) => one !== null);
  const isImported = plan.slip.kind === 'imported-name';
  if (text === null || (isImported && read.length === 0)) return noFix('not-in-tree');
  const isTooLong = read.join('').length > limits.fixedFileCharsMax * (isImported ? 1 : SMALL_FILES);
  if (text.length > limits.fixedFileCharsMax || (isImported && isTooLong)) return noFix('too-long');
  // Without the other files, a name that only they define is not found.
  const definingFiles = isTooLong ? [] : read;
  const found = await ask({ ...plan, text, definingFiles });
  if (found.kind === 'unknown') return found;
  return known(found.value.kind === 'none' ? found.value : { ...found.value, path, line });
}
