/** Dispatches of our own workflows: the id that GitHub returned is the only proof that a workflow run is ours. */

/** Workflows whose runs are recorded when they are dispatched; each is a key of `workflows` in the config. */
export const DISPATCHED_WORKFLOWS = ['launch', 'watch', 'stop', 'care', 'diskScan', 'fix'] as const;
export type DispatchedWorkflow = (typeof DISPATCHED_WORKFLOWS)[number];

/**
 * A recorded dispatch. `subject`: the digest of the order (launch), of the mutation (care) or of the failure (fix), the
 * cluster (watch, diskScan), or the sequence number of the stop. `workflowRun`: the id that the dispatch returned. `at`:
 * RFC 3339, of the record's entry.
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

/** Dispatches of several records in the order in which they were recorded. */
export function oldestFirst(dispatches: readonly Dispatch[]): readonly Dispatch[] {
  return dispatches.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}
