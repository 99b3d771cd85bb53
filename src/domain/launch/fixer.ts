/** A lab's own fixer: a program that is told of a slip and answers with a patch, in a job that holds nothing worth having. */

import type { Digest, DigestOf } from '../ids.ts';
import type { PatchFault } from './patch.ts';
import type { SlipOfAttempt } from './small-fix.ts';

/** What a lane says of its fixer. */
export type Fixer = { readonly command: readonly string[]; readonly timeoutMs: number };

/** Why the job of a fixer has no patch. */
export const FIXER_FAULTS = ['fixer-failed', 'fixer-timed-out', 'fixer-too-long'] as const;

/** What control finds wrong by itself. */
export type FixerFault =
  | (typeof FIXER_FAULTS)[number]
  | 'fixer-not-started'
  | 'fixer-late'
  | 'fixer-no-answer'
  | 'fixer-cancelled';

/** Why nothing of a fixer's is committed. */
export type NoExternalFix =
  | FixerFault
  | PatchFault
  | 'outside-scope'
  | 'not-in-tree'
  | 'not-mended'
  | 'too-long';

/** What comes of its answer: the files as they would be, and what people are shown. */
export type ExternalFix =
  | {
      readonly kind: 'fix';
      readonly files: Readonly<Record<string, string>>;
      readonly place: string;
      readonly diff: string;
    }
  | { readonly kind: 'none'; readonly reason: NoExternalFix };

/** What came of the newest question to a run's fixer. `taken-away`: somebody cancelled its workflow run, or deleted the run or its answer. */
export type FixerStanding =
  | { readonly kind: 'under-way' }
  | { readonly kind: 'taken-away' }
  | { readonly kind: 'answered'; readonly fix: ExternalFix };

/** Names the one failure that a fixer is asked about: in the record of its dispatch, and in its answer. */
export function failureDigest(
  run: string,
  { attempt, commit, endedAt }: SlipOfAttempt,
  digestOf: DigestOf,
): Digest {
  return digestOf(JSON.stringify(['fix', run, attempt, commit, endedAt]));
}
