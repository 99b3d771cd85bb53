/** Emits events for webhooks and pages when a run or a job changes. */

import { shapeCheckRun } from '../../checks/shape-check.ts';
import { emitChange, machineSender } from '../../world/emit.ts';
import type { JsonObject } from '../../world/json.ts';
import { repoById, requireRow } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { shapeJob, shapeRun, shapeWorkflow } from '../shape-run.ts';
import type { Job, Run } from '../state-actions.ts';

export async function announceRun(
  world: World,
  run: Run,
  action: 'requested' | 'in_progress' | 'completed',
): Promise<void> {
  const workflow = requireRow(world.state.workflows[run.workflowId], `workflow ${run.workflowId}`);
  await emitChange(world, {
    type: 'workflow_run',
    action,
    repo: repoById(world, run.repoId),
    sender: world.state.users[run.triggeringActorId] ?? machineSender(world),
    byTokenKind: 'app',
    runId: run.id,
    payload: { workflow_run: await runPayload(world, run, action), workflow: shapeWorkflow(world, workflow) },
  });
}

/** While a run is in progress, GitHub's webhook omits its title. */
async function runPayload(world: World, run: Run, action: string): Promise<JsonObject> {
  const { display_title: title, ...rest } = await shapeRun(world, run);
  return action === 'in_progress' || title === undefined ? rest : { ...rest, display_title: title };
}

export async function announceJob(
  world: World,
  job: Job,
  action: 'queued' | 'in_progress' | 'completed',
): Promise<void> {
  const run = requireRow(world.state.runs[job.runId], `run ${job.runId}`);
  const common = {
    repo: repoById(world, job.repoId),
    sender: world.state.users[run.triggeringActorId] ?? machineSender(world),
    byTokenKind: 'app',
    runId: run.id,
  } as const;
  const payload = { workflow_job: shapeJob(world, job) };
  // GitHub has no webhook for a job that only waits for its concurrency group.
  if (job.status !== 'pending') await emitChange(world, { ...common, type: 'workflow_job', action, payload });
  const check = job.checkRunId === null ? undefined : world.state.checkRuns[job.checkRunId];
  if (check === undefined || action === 'in_progress') return;
  await emitChange(world, {
    ...common,
    type: 'check_run',
    action: action === 'completed' ? 'completed' : 'created',
    payload: { check_run: shapeCheckRun(world, check) },
  });
}
