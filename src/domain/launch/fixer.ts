/** A lab's own fixer: a program that reads a small code failure and answers with a patch, in a job without secrets. */

import type { Digest, DigestOf } from '../ids.ts';
import type { PatchFault } from './patch.ts';
import type { SlipOfAttempt } from './small-fix.ts';

/** The lane's fixer setting. */
export type Fixer = { readonly command: readonly string[]; readonly timeoutMs: number };

/** Why a fixer's answer is not committed. The log of a workflow run that failed has the reason. */
export type NoExternalFix =
  | 'fixer-failed'
  | 'fixer-not-started'
  | 'fixer-late'
  | 'fixer-cancelled'
  | PatchFault
  | 'outside-scope'
  | 'not-in-tree'
  | 'not-mended'
  | 'too-long';

/** The changed files, and the diff that people see. */
export type ExternalFix =
  | {
      readonly kind: 'fix';
      readonly files: Readonly<Record<string, string>>;
      readonly place: string;
      readonly diff: string;
    }
  | { readonly kind: 'none'; readonly reason: NoExternalFix };

/** State of the newest request to a run's fixer. `taken-away`: a person cancelled or deleted its workflow run or artifact. */
export type FixerStanding =
  | { readonly kind: 'under-way' }
  | { readonly kind: 'taken-away' }
  | { readonly kind: 'answered'; readonly fix: ExternalFix };

/** Identifies the failure in the record of the dispatch and in the inputs of the workflow. */
export function failureDigest(
  run: string,
  { attempt, commit, endedAt }: SlipOfAttempt,
  digestOf: DigestOf,
): Digest {
  return digestOf(JSON.stringify(['fix', run, attempt, commit, endedAt]));
}
