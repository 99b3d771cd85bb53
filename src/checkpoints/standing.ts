/** Whose a checkpoint is: which attempt of the run was writing when the store got it, and whether people have rejected what that attempt made. */

import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';

/** One attempt, as far as it wrote checkpoints. */
export type WritingAttempt = {
  readonly attempt: number;
  /** From the runner's claim. */
  readonly from: Instant;
  /** Its end; null while it may still write. */
  readonly until: Instant | null;
  /** The step that it went on from, 0 where it began anew; null where nobody knows. */
  readonly startStep: number | null;
  /** The order named that checkpoint, so that the rule had let it be when the attempt was claimed; left out: it did not. */
  readonly isChosen?: true;
};

export type Rejection = { readonly step: number; readonly at: Instant };

/** Of one run, in the order of its attempts. */
export type Lineage = {
  readonly attempts: readonly WritingAttempt[];
  readonly rejections: readonly Rejection[];
};

export type Standing = {
  readonly standing: 'eligible' | 'foreign' | 'rejected' | 'unvalidated';
  readonly attempt: number | null;
};

/** `foreign`: no attempt of this run was writing then. `unvalidated`: nobody can say whether it comes from what was rejected. */
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

/** An attempt may write from a little before its claim until a little after its end, and never into the time of the next one. */
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
 * What an attempt made from a rejected step on is out where it was under way before people said so, or went on from that
 * step or a later one without its order's word. An attempt makes those steps anew that is known to have gone back behind it,
 * or that went on from what such a one had made: its order named that, which the rule had let be after the rejection.
 */
function taintOf(
  { from, startStep, isChosen }: WritingAttempt,
  { step, at }: Rejection,
): 'rejected' | 'clean' | 'unknown' {
  if (from <= at) return 'rejected';
  if (startStep === null) return 'unknown';
  return startStep >= step && isChosen !== true ? 'rejected' : 'clean';
}
