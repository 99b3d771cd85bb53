/**
 * What starting a run again rests on: the bad node that was replaced (policy ML-30) and the restarts that were approved. Whether it is started again: see response.ts.
 */

import type { MutationRecord } from '../care/mutation-state.ts';
import type { RunState } from '../logbook/run-state.ts';

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
 * Orders of this manifest that started a job, this attempt's among them, against what was approved: how many more may follow.
 * A fix that was approved beforehand has no budget of its own: it spends that of the manifest which approved it.
 */
export function restartsLeft({ attempts, order }: RunState): number {
  const counted = [order?.order.digest, order?.order.preApprovedBy];
  const spent = attempts.filter((past) => counted.includes(past.order.order.digest)).length;
  // rule ML-32
  return (order?.manifest?.envelope.restarts ?? 0) - spent;
}

/** The run as it stood in the attempt that this entry belongs to: what is told of it is made from that. */
export function stateAtEntry(state: RunState, seq: number): RunState {
  const past = state.attempts.find(({ submission, firstEval, firstTracker, end }) =>
    [submission.seq, firstEval?.seq, firstTracker?.seq, end.seq].includes(seq),
  );
  return past === undefined ? state : { ...state, ...past };
}
