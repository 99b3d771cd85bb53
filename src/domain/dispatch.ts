/** Dispatches of ferrybot's workflows. Only the id that GitHub returned proves that ferrybot started a workflow run. */

/** Workflows whose dispatches are recorded; each is a key of `workflows` in the config. */
export const DISPATCHED_WORKFLOWS = ['launch', 'watch', 'stop', 'care', 'diskScan', 'fix'] as const;
export type DispatchedWorkflow = (typeof DISPATCHED_WORKFLOWS)[number];

/**
 * `subject`: digest of the order (launch), the action (care) or the failure (fix); the cluster (watch, diskScan); or the sequence number
 * of the stop. `workflowRun`: the returned id. `at`: time of the record entry, RFC 3339.
 */
export type Dispatch = {
  readonly workflow: DispatchedWorkflow;
  readonly subject: string;
  readonly workflowRun: number;
  readonly at: string;
  readonly seq: number;
};

/** Oldest first. */
export function dispatchesFor(
  dispatches: readonly Dispatch[],
  workflow: DispatchedWorkflow,
  subject: string,
): readonly Dispatch[] {
  return dispatches.filter((one) => one.workflow === workflow && one.subject === subject);
}

/** Sorts dispatches of several records by time. */
export function oldestFirst(dispatches: readonly Dispatch[]): readonly Dispatch[] {
  return dispatches.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}
