/** Whether a look that only reads answered as it does where all is well: yes, no, or nobody can say. */

import { known, type Observed, unknown } from '../../domain/observed.ts';

/** How the looking program ended; `exitCode` null: it did not run to its end. */
export type LookEnd = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** `expect` is a regular expression of the config. A failure, and an answer without a word, say nothing. */
export function readLook({ exitCode, stdout, stderr }: LookEnd, expect: string): Observed<boolean> {
  if (exitCode !== 0)
    return unknown(`exit code ${exitCode ?? 'none'}: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  if (stdout.trim() === '') return unknown('an empty answer');
  return known(new RegExp(expect, 'u').test(stdout));
}
