/** In which order the jobs of a run come, as its workflow's `needs` say; GitHub's API does not tell, its page draws it. */

import { parseWorkflow } from '../actions/workflow/parse-workflow.ts';
import type { World } from '../world/world.ts';

/** Stage (from 0) by job id; a job of a called workflow has its caller's. A workflow that is not there any more gives stage 0 to all. */
export function jobStages(world: World, runId: number): ReadonlyMap<number, number> {
  const run = world.state.runs[runId];
  const source = world.state.workflows[run?.workflowId ?? 0]?.source;
  const jobs = source === undefined ? [] : parseWorkflow(run?.path ?? '', source).jobs;
  const needs = new Map(jobs.map((job) => [job.key, job.needs]));
  const stageOf = (key: string, seen: readonly string[]): number =>
    Math.max(
      0,
      // A circle of needs is refused when a run begins; here it must not hang.
      ...(needs.get(key) ?? [])
        .filter((need) => !seen.includes(need))
        .map((need) => 1 + stageOf(need, [...seen, key])),
    );
  const rows = Object.values(world.state.jobs).filter((job) => job.runId === runId);
  return new Map(rows.map((job) => [job.id, stageOf(job.key.split('/')[0] ?? '', [])]));
}
