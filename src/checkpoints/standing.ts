/** Which attempt wrote a checkpoint, by the store's time, and whether it was rejected. */

import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';

export type WritingAttempt = {
  readonly attempt: number;
  /** From the runner's claim. */
  readonly from: Instant;
  /** Its end; null while it may still write. */
  readonly until: Instant | null;
  /** The step it resumed from, 0 from scratch; null if unknown. */
  readonly startStep: number | null;
  /** The order named the checkpoint, so the rule allowed it at the claim. */
  readonly isChosen?: true;
};

export type Rejection = { readonly step: number; readonly at: Instant };

/** One run's attempts in order. */
export type Lineage = {
  readonly attempts: readonly WritingAttempt[];
  readonly rejections: readonly Rejection[];
};

export type Standing = {
  readonly standing: 'eligible' | 'foreign' | 'rejected' | 'unvalidated';
  readonly attempt: number | null;
};

/** `foreign`: no attempt was writing then. `unvalidated`: possibly derived from a rejected checkpoint. */
export function standingIn(
  { attempts, rejections }: Lineage,
  { step, writtenAt }: { readonly step: number; readonly writtenAt: Instant },
): Standing {
  const index = attempts.findIndex((_, at) => wasWriting(attempts, at, writtenAt));
  const writer = attempts[index];
  if (writer === undefined) return { standing: 'foreign', attempt: null };
  const { attempt } = writer;
  const said = rejections.filter((one) => step >= one.step).map((one) => taintOf(writer, one));
  // rule HR-59
  if (said.includes('rejected')) return { standing: 'rejected', attempt };
  return { standing: said.includes('unknown') ? 'unvalidated' : 'eligible', attempt };
}

/** From shortly before the claim to shortly after the end, without overlapping the next attempt. */
function wasWriting(attempts: readonly WritingAttempt[], at: number, writtenAt: Instant): boolean {
  const one = attempts[at];
  if (one === undefined) return false;
  const next = attempts[at + 1]?.from ?? Number.POSITIVE_INFINITY;
  const before = attempts[at - 1]?.until ?? Number.NEGATIVE_INFINITY;
  const from = Math.max(one.from - limits.lineageSlackMs, Math.min(before, one.from));
  const until = one.until === null ? next : Math.min(one.until + limits.lineageSlackMs, next);
  return writtenAt >= from && writtenAt < until;
}

/**
 * Rejected if the attempt started before the rejection, or resumed at or after the rejected step on its own. Clean if it resumed earlier,
 * or from a checkpoint that its order named, because the rule allowed that after the rejection.
 */
function taintOf(
  { from, startStep, isChosen }: WritingAttempt,
  { step, at }: Rejection,
): 'rejected' | 'clean' | 'unknown' {
  if (from <= at) return 'rejected';
  if (startStep === null) return 'unknown';
  return startStep >= step && isChosen !== true ? 'rejected' : 'clean';
}
