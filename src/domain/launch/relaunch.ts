/**
 * Starting a run again after a bad node was replaced (policy ML-30): the
 * same manifest under the approval that it has, as often as the manifest says and no oftener.
 */

import type { MutationRecord } from '../care/mutation-state.ts';
import type { Digest, Instant } from '../ids.ts';
import { incidentsWith } from '../incidents.ts';
import { type IssuedOrder, isOver, type RunState } from '../logbook/run-state.ts';
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

/** Whether facts are needed to say if the run is ordered again. */
export function wantsRelaunch(state: RunState): boolean {
  if (isOver(state) || replacementFor(state) === null) return false;
  const attempt = state.submission?.attempt;
  return !incidentsWith(state.incidents, 'relaunch-refused').some(({ detail }) => detail.attempt === attempt);
}

/**
 * Whether this attempt may still be followed by another without a new approval: its bad node is proposed, being deleted or
 * replaced, and nobody has stopped the run. Until then a person can keep the next attempt back.
 */
export function mayBeRelaunched(state: RunState): boolean {
  if (wantsRelaunch(state)) return true;
  const { end, submission, stop } = state;
  if (isOver(state) || end?.status !== 'FAILED' || submission === null || stop !== null) return false;
  return state.mutations.some(
    ({ proposal, evidence, ended }) =>
      proposal.mutation.kind === 'delete-tpu-vm' &&
      evidence.facts['attempt'] === submission.attempt &&
      ended === null,
  );
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
  const past = state.attempts.find(({ submission, firstEval, end }) =>
    [submission.seq, firstEval?.seq, end.seq].includes(seq),
  );
  return past === undefined ? state : { ...state, ...past };
}

/** Why another order may not follow the one that was carried out, or null: the rule of the record. */
export function relaunchRule(state: RunState, next: IssuedOrder['order']): string | null {
  if (state.end === null) return 'ordered after the job was submitted';
  if (replacementFor(state) === null) return 'ordered again though no bad node was replaced';
  if (restartsLeft(state) <= 0) return 'ordered again beyond the restarts that were approved';
  const { order } = state;
  return next.digest === order?.order.digest && next.commit === order.order.commit
    ? null
    : 'ordered again with another manifest or commit';
}
