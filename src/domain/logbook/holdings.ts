/** What a run still holds in the world, by its record: each thing from the moment it may be there until it is proven gone. */

import { isUnseen, presentMachines, rentalTerms, rentedJobs } from './renting.ts';
import type { RunState } from './run-state.ts';

/** A thing that a kind of run can hold; one with a `cluster` is looked at by the watch of that cluster. */
export type Holding =
  /** Claimed by the runner, and nobody has said what came of it: a job may be there. */
  | { readonly kind: 'launch'; readonly submissionId: string }
  /** Submitted, and not seen to have ended. */
  | { readonly kind: 'job'; readonly cluster: string; readonly jobId: string }
  /** Rented for the run, and not seen to be gone; `instance` null: nobody has read the account since the job ended. */
  | { readonly kind: 'machine'; readonly cluster: string; readonly instance: number | null };

/** Nothing where a person has given the run up: that is what *lost* means. */
export function holdingsOf(state: RunState): readonly Holding[] {
  if (state.closed?.outcome === 'lost') return [];
  return [...launchOrJobOf(state), ...machinesOf(state)];
}

function launchOrJobOf({ order, submission, end }: RunState): readonly Holding[] {
  if (submission === null)
    return order?.status === 'claimed' ? [{ kind: 'launch', submissionId: order.order.submissionId }] : [];
  return end === null ? [{ kind: 'job', cluster: submission.cluster, jobId: submission.jobId }] : [];
}

/** Machines of earlier attempts too, also while the next one waits for its runner: they bill on whatever the job does. */
function machinesOf(state: RunState): readonly Holding[] {
  if (rentalTerms(state) === null) return [];
  const jobs = rentedJobs(state);
  const cluster = jobs.at(-1)?.cluster;
  if (cluster === undefined) return [];
  const seen = presentMachines(state).map(({ instance, jobId }) => {
    const where = jobs.find((job) => job.jobId === jobId)?.cluster ?? cluster;
    return { kind: 'machine', cluster: where, instance } as const;
  });
  return seen.length === 0 && isUnseen(state) ? [{ kind: 'machine', cluster, instance: null }] : seen;
}
