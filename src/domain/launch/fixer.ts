/** A lab's own fixer: a program that reads a small code failure and answers with a patch, in a job without secrets. */

import type { Digest, DigestOf } from '../ids.ts';
import type { PatchFault } from './patch.ts';
import type { SlipOfAttempt } from './small-fix.ts';

/** The lane's fixer setting. */
export type Fixer = { readonly command: readonly string[]; readonly timeoutMs: number };

/** Failures reported by the fixer's job. */
export const FIXER_FAULTS = ['fixer-failed', 'fixer-timed-out', 'fixer-too-long'] as const;

/** The others are detected by control. */
export type FixerFault =
  | (typeof FIXER_FAULTS)[number]
  | 'fixer-not-started'
  | 'fixer-late'
  | 'fixer-no-answer'
  | 'fixer-cancelled';

/** Why a fixer's answer is not committed. */
export type NoExternalFix =
  | FixerFault
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

/** Identifies the failure in the record of the dispatch and in the fixer's answer. */
export function failureDigest(
  run: string,
  { attempt, commit, endedAt }: SlipOfAttempt,
  digestOf: DigestOf,
): Digest {
  return digestOf(JSON.stringify(['fix', run, attempt, commit, endedAt]));
}
