/** Dispatches of our own workflows: the id that GitHub returned is the only proof that a workflow run is ours. */

/** Workflows whose runs are recorded when they are dispatched; each is a key of `workflows` in the config. */
export const DISPATCHED_WORKFLOWS = ['launch', 'watch', 'stop', 'care'] as const;
export type DispatchedWorkflow = (typeof DISPATCHED_WORKFLOWS)[number];

/**
 * A recorded dispatch. `subject`: the digest of the order (launch) or of the mutation (care), the cluster (watch), or the
 * sequence number of the stop. `workflowRun`: the id that the dispatch returned. `at`: RFC 3339, of the record's entry.
 */
export type Dispatch = {
  readonly workflow: DispatchedWorkflow;
  readonly subject: string;
  readonly workflowRun: number;
  readonly at: string;
  readonly seq: number;
};

/** The recorded dispatches of one workflow for one subject, oldest first. */
export function dispatchesFor(
  dispatches: readonly Dispatch[],
  workflow: DispatchedWorkflow,
  subject: string,
): readonly Dispatch[] {
  return dispatches.filter((one) => one.workflow === workflow && one.subject === subject);
}
