/** Asks CPython for the correction of a small mistake, in a child process that runs nothing of the files. */

import { z } from 'zod';
import { NO_FIX_REASONS } from '../diagnosis/fix/no-fix.ts';
import type { FixAnswer, FixQuestion } from '../diagnosis/fix/suggest-fix.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { scriptText } from '../host/python/script.ts';
import { runPython } from '../host/python-child.ts';

const answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('fix'), text: z.string() }),
  z.strictObject({ kind: z.literal('none'), reason: z.enum(NO_FIX_REASONS) }),
]);

/**
 * The answer of `interpreter`, found on `path`. Unknown when there is no such Python, or when it ends without an answer.
 */
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
