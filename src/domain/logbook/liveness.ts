/** A run is live while it holds resources, not only while its job runs. */

import { holdingsOf } from './holdings.ts';
import { awaitsAdoption, awaitsDescription, offerWanted } from './renting.ts';
import { isOver, type RunState } from './run-state.ts';

/** Whether the run occupies its lane: from a claimable order until it holds nothing. */
export function isLive(state: RunState): boolean {
  return isHolding(state) || (!isOver(state) && state.end === null && state.order?.status === 'open');
}

/** A run that holds something can be neither sealed nor closed. */
export function isHolding(state: RunState): boolean {
  return holdingsOf(state).length > 0;
}

/** Clusters whose watch must observe the run's holdings, look up its job, or search an offer. */
export function watchedClusters(state: RunState): readonly string[] {
  const { adopts } = state.proposal;
  const asked = adopts !== undefined && awaitsDescription(state) ? [adopts.cluster] : [];
  const offer = offerWanted(state);
  const shopped = offer === null ? [] : [offer.cluster];
  return [
    ...asked,
    ...shopped,
    ...holdingsOf(state).flatMap((held) => ('cluster' in held ? [held.cluster] : [])),
  ];
}

export type JobPlace = { readonly jobId: string; readonly cluster: string };

/** Also finds runs whose order has not become a job yet, and runs that are over; null if there is none. */
export function holderOf(runs: readonly RunState[], { jobId, cluster }: JobPlace): RunState | null {
  return runs.find((state) => isAbout(state, jobId, cluster)) ?? null;
}

function isAbout(state: RunState, jobId: string, cluster: string): boolean {
  const { proposal, submission, order, attempts } = state;
  const { adopts } = proposal;
  if (adopts?.jobId === jobId && adopts.cluster === cluster)
    return !isOver(state) && (awaitsAdoption(state) || isLive(state) || state.end !== null);
  const ours = [submission, ...attempts.map((past) => past.submission)];
  return (
    ours.some((one) => one !== null && one.jobId === jobId && one.cluster === cluster) ||
    order?.order.submissionId === jobId
  );
}
