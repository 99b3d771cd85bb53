/**
 * What starting a run again rests on: the bad node that was replaced (policy ML-30), the restarts that were approved, and
 * the approval that it has. Whether it is started again: see response.ts.
 */

import type { MutationRecord } from '../care/mutation-state.ts';
import type { Digest, Instant } from '../ids.ts';
import type { RunState } from '../logbook/run-state.ts';
import { fromRfc3339 } from '../time.ts';

/** How a deletion ended whose machine was replaced. */
export const REPLACED = 'replaced';

/** The replaced node because of which this attempt may be followed by another; null where none was. */
export function replacementFor(state: RunState): MutationRecord | null {
  const { end, submission, stop } = state;
  if (end?.status !== 'FAILED' || submission === null || stop !== null) return null;
  const found = state.mutations.find(
    ({ proposal, evidence, ended }) =>
      proposal.mutation.kind === 'delete-tpu-vm' &&
      evidence.facts['attempt'] === submission.attempt &&
      ended?.outcome === 'done' &&
      ended.code === REPLACED,
  );
  return found ?? null;
}

/**
 * The moment that an approval of this manifest has to be young enough at: now, or, once the runner has claimed an order of
 * it that was not refused, the first such claim. A job that is started again after a bad node, or after its runner died,
 * rests on the same approval and the restarts that it allows, however long the first attempt ran. Claims are signed by
 * the runner: whoever can write orders cannot keep an old approval young.
 */
export function approvalAgeAt({ attempts, order }: RunState, digest: Digest, now: Instant): Instant {
  const claimed = [...attempts.map((past) => past.order), ...(order === null ? [] : [order])].find(
    (one) => one.order.digest === digest && one.claim !== null && one.status !== 'failed',
  );
  return fromRfc3339(claimed?.claim?.at ?? '') ?? now;
}

/** Orders of this manifest that started a job, this attempt's among them, against what was approved: how many more may follow. */
export function restartsLeft({ attempts, order }: RunState): number {
  const spent = attempts.filter((past) => past.order.order.digest === order?.order.digest).length;
  return (order?.manifest?.envelope.restarts ?? 0) - spent;
}

/** The run as it stood in the attempt that this entry belongs to: what is told of it is made from that. */
export function stateAtEntry(state: RunState, seq: number): RunState {
  const past = state.attempts.find(({ submission, firstEval, firstTracker, end }) =>
    [submission.seq, firstEval?.seq, firstTracker?.seq, end.seq].includes(seq),
  );
  return past === undefined ? state : { ...state, ...past };
}
