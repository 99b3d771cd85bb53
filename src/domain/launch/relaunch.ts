/** The basis of a relaunch: a replaced bad node (policy ML-30) or approved restarts. response.ts decides about it. */

import type { ActionRecord } from '../actions/action.ts';
import { type IncidentOf, incidentsWith } from '../incidents.ts';
import type { RunState } from '../logbook/run-state.ts';

/** End code of a deletion whose machine was replaced. */
export const REPLACED = 'replaced';

/** The replaced node that allows another attempt, or null. */
export function replacementFor(state: RunState): ActionRecord | null {
  const { end, submission, stop } = state;
  if (end?.status !== 'FAILED' || submission === null || stop !== null) return null;
  const found = state.actions.find(
    ({ proposal, evidence, ended }) =>
      proposal.change.kind === 'delete-tpu-vm' &&
      evidence.facts['attempt'] === submission.attempt &&
      ended?.outcome === 'done' &&
      ended.code === REPLACED,
  );
  return found ?? null;
}

/** Approved restarts minus the launches used. A pre-approved fix uses the budget of the manifest that allows it. */
export function restartsLeft({ attempts, order }: RunState): number {
  const counted = [order?.order.digest, order?.order.preApprovedBy];
  const spent = attempts.filter((past) => counted.includes(past.order.order.digest)).length;
  // rule ML-32
  return (order?.manifest?.envelope.restarts ?? 0) - spent;
}

/** The run's state in the attempt that this entry belongs to. */
export function stateAtEntry(state: RunState, seq: number): RunState {
  const past = state.attempts.find(({ submission, firstEval, firstTracker, end }) =>
    [submission.seq, firstEval?.seq, firstTracker?.seq, end.seq].includes(seq),
  );
  return past === undefined ? state : { ...state, ...past };
}

export type LaunchTrouble = IncidentOf<'launch-failed'> | IncidentOf<'launch-waiting'>;

/** The newest recorded problem with the dispatched launch of an unclaimed order, or null. */
export function launchTrouble({ order, incidents }: RunState): LaunchTrouble | null {
  if (order === null || order.status !== 'open') return null;
  const troubles = [
    ...incidentsWith(incidents, 'launch-failed'),
    ...incidentsWith(incidents, 'launch-waiting'),
  ];
  return (
    troubles
      .filter(({ detail }) => detail.orderDigest === order.digest)
      .toSorted((a, b) => b.seq - a.seq)[0] ?? null
  );
}

/** Why the newest order failed before a claim, or null. */
export function whyNotLaunched({ order, incidents }: RunState): string | null {
  if (order?.status !== 'failed') return null;
  const ended = [...incidentsWith(incidents, 'launch-failed'), ...incidentsWith(incidents, 'runner-refused')];
  return ended.findLast(({ detail }) => detail.orderDigest === order.digest)?.detail.why ?? null;
}
