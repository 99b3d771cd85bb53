/**
 * The order of a run's jobs by their workflow's `needs`. GitHub's API does not return it, but GitHub's page draws it.
 */

import { parseWorkflow } from '../actions/workflow/parse-workflow.ts';
import type { World } from '../world/world.ts';

/**
 * Stage (from 0) by job id; a job of a called workflow has its caller's stage. If the workflow no longer exists, all
 * jobs have stage 0.
 */
export function jobStages(world: World, runId: number): ReadonlyMap<number, number> {
  const run = world.state.runs[runId];
  const source = world.state.workflows[run?.workflowId ?? 0]?.source;
  const jobs = source === undefined ? [] : parseWorkflow(run?.path ?? '', source).jobs;
  const needs = new Map(jobs.map((job) => [job.key, job.needs]));
  const stageOf = (key: string, seen: readonly string[]): number =>
    Math.max(
      0,
      // Circular needs are refused when a run starts; here they must not cause an endless loop.
      ...(needs.get(key) ?? []).filter((need) => !seen.includes(need)).map((need) => 1 + stageOf(need, [...seen, key])),
    );
  const rows = Object.values(world.state.jobs).filter((job) => job.runId === runId);
  return new Map(rows.map((job) => [job.id, stageOf(job.key.split('/')[0] ?? '', [])]));
}
