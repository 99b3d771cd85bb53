/** What a run still holds in the world, by its record: each thing from the moment it may be there until it is proven gone. */

import type { RunState } from './run-state.ts';

/** A thing that a kind of run can hold; one with a `cluster` is looked at by the watch of that cluster. */
export type Holding =
  /** Claimed by the runner, and nobody has said what came of it: a job may be there. */
  | { readonly kind: 'launch'; readonly submissionId: string }
  /** Submitted, and not seen to have ended. */
  | { readonly kind: 'job'; readonly cluster: string; readonly jobId: string };

/** Nothing where a person has given the run up: that is what *lost* means. */
export function holdingsOf(state: RunState): readonly Holding[] {
  const { order, submission, end, closed } = state;
  if (closed?.outcome === 'lost') return [];
  if (submission !== null)
    return end === null ? [{ kind: 'job', cluster: submission.cluster, jobId: submission.jobId }] : [];
  return order?.status === 'claimed' ? [{ kind: 'launch', submissionId: order.order.submissionId }] : [];
}
