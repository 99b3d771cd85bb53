/** Resources that a run holds according to its record, each until it is proven gone. */

import { isUnseen, presentMachines, rentalTerms, rentedJobs } from './renting.ts';
import type { RunState } from './run-state.ts';

/** The watch of a holding's `cluster` observes it. */
export type Holding =
  /** Claimed by the runner with unknown result: a job may exist. */
  | { readonly kind: 'launch'; readonly submissionId: string }
  /** Submitted, end not observed. */
  | { readonly kind: 'job'; readonly cluster: string; readonly jobId: string }
  /** Rented, not yet observed gone; `instance` null: the account was not read since the job ended. */
  | { readonly kind: 'machine'; readonly cluster: string; readonly instance: number | null };

/** Empty after a person closed the run as *lost*. */
export function holdingsOf(state: RunState): readonly Holding[] {
  if (state.closed?.outcome === 'lost') return [];
  return [...launchOrJobOf(state), ...machinesOf(state)];
}

function launchOrJobOf({ order, submission, end }: RunState): readonly Holding[] {
  if (submission === null)
    return order?.status === 'claimed' ? [{ kind: 'launch', submissionId: order.order.submissionId }] : [];
  return end === null ? [{ kind: 'job', cluster: submission.cluster, jobId: submission.jobId }] : [];
}

/** Includes machines of earlier attempts, which are billed until they are gone. */
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
