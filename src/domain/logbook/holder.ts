/** Finds the run that a cluster job belongs to, or that is about to adopt it. */

import { awaitsAdoption } from './adoption.ts';
import { isLive } from './liveness.ts';
import { isOver, type RunState } from './run-state.ts';

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
