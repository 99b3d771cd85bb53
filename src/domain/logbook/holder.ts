/** Whose a job on a cluster is by the record: a run that holds it, or one that somebody wants it taken over by. */

import { awaitsAdoption } from './adoption.ts';
import { isLive } from './liveness.ts';
import { isOver, type RunState } from './run-state.ts';

export type JobPlace = { readonly jobId: string; readonly cluster: string };

/** The run, also where its order has not become a job yet, and where it was launched by the run and is over; null: nobody's. */
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
