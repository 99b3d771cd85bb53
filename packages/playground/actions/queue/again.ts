/**
 * Decides what a re-run repeats and what it takes over from the attempt before (docs: re-running workflows and jobs).
 */

import type { PlanNode, Run } from '../state-actions.ts';
import { createNode } from './plan-rows.ts';
import type { PlannedJob } from './run-definitions.ts';

/**
 * The plan's nodes for the newest attempt. By default every job is repeated. Otherwise only the failed and cancelled
 * jobs, or the one requested job, run again, together with the jobs that depend on them. All other jobs keep their
 * result and outputs.
 */
export function nodesForRerun(run: Run, jobs: readonly PlannedJob[], before: readonly PlanNode[]): readonly PlanNode[] {
  const again = keysToRerun(run, jobs, before);
  return jobs.map(({ key }) => {
    const known = before.find((node) => node.key === key);
    return known === undefined || again.has(key) ? createNode(key) : known;
  });
}

function keysToRerun(run: Run, jobs: readonly PlannedJob[], before: readonly PlanNode[]): ReadonlySet<string> {
  if (run.again === undefined) return new Set(jobs.map(({ key }) => key));
  const again = new Set<string>();
  for (const node of before) if (isRequested(run.again, node)) again.add(node.key);
  // Each round adds at least one job or is the last one.
  for (let size = -1; size < again.size; ) {
    size = again.size;
    for (const job of jobs) {
      if (dependsOnAny(job, jobs, again)) again.add(job.key);
      // The calling job only has to collect the results of the called jobs again.
      if (job.parent !== null && again.has(job.key)) again.add(job.parent);
    }
  }
  return again;
}

function isRequested(wanted: NonNullable<Run['again']>, node: PlanNode): boolean {
  if (wanted !== 'failed') return node.jobId === wanted;
  return node.result === 'failure' || node.result === 'cancelled';
}

/** Whether a job, or the job that calls its workflow, depends on one of them. */
function dependsOnAny(job: PlannedJob, jobs: readonly PlannedJob[], again: ReadonlySet<string>): boolean {
  const { definition, parent } = job;
  if (definition.needs.some((need) => again.has(parent === null ? need : `${parent}/${need}`))) return true;
  const caller = jobs.find(({ key }) => key === parent);
  return caller !== undefined && dependsOnAny(caller, jobs, again);
}
