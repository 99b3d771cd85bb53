/** Decides which machine may take a job, by its labels, its runner group, and the owner of the calling workflow. */

import { repoById } from '../../world/lookup.ts';
import { isSelfHostedLabel } from '../runner/environment.ts';
import type { Runner } from '../runner/runner-types.ts';
import type { Job } from '../state-actions.ts';
import { homeOwner, workflowLocation } from './called-workflow.ts';
import type { Engine } from './engine.ts';
import { findPlan } from './plan-rows.ts';
import { type PlannedJob, readDefinitions } from './run-definitions.ts';

/** The first free machine for a queued job; null when no machine may take it. */
export async function pickRunner(engine: Engine, job: Job): Promise<Runner | null> {
  const { world } = engine;
  const busy = new Set([...engine.active.values()].map((active) => active.runnerName));
  const free = engine.runners.filter((one) => !busy.has(one.name) && hasLabels(one.labels, job.labels));
  if (free.length === 0) return null;
  const repo = repoById(world, job.repoId);
  const plan = findPlan(world, job.runId);
  const path = world.state.runs[job.runId]?.path ?? '';
  const { jobs } = await readDefinitions(engine.files, repo, plan.workflowSha, path);
  const planned = jobs.find((one) => one.key === job.key);
  if (planned === undefined) throw new Error(`job ${job.key} is not in ${path} at ${plan.workflowSha}`);
  const location = workflowLocation(planned.home, planned.file.path, plan.ref);
  return free.find((runner) => isOpenTo(runner, planned, location, repo.owner)) ?? null;
}

/**
 * Whether a called job cannot use the caller's own machines: called workflows of another owner run on hosted machines
 * only (docs: reusing workflow configurations, self-hosted runners).
 */
export function isForeign(planned: PlannedJob, repositoryOwner: string): boolean {
  return homeOwner(planned.home).toLowerCase() !== repositoryOwner.toLowerCase();
}

/** A group pinned to workflows takes the jobs defined in exactly those files, not the jobs of files that they call. */
function isOpenTo(runner: Runner, planned: PlannedJob, location: string, owner: string): boolean {
  if (runner.labels.some(isSelfHostedLabel) && isForeign(planned, owner)) return false;
  const { group } = runner;
  const wanted = planned.definition.runnerGroup;
  if (wanted !== null && group?.name.toLowerCase() !== wanted.toLowerCase()) return false;
  return group === undefined || group.workflows === null || group.workflows.includes(location);
}

function hasLabels(has: readonly string[], wanted: readonly string[]): boolean {
  const lower = has.map((label) => label.toLowerCase());
  return wanted.every((label) => lower.includes(label.toLowerCase()));
}
