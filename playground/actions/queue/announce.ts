/** Tells the world that a run or a job moved on: events for webhooks and pages. */

import { emitChange, machineSender } from '../../world/emit.ts';
import type { Json } from '../../world/json.ts';
import { repoById, userById } from '../../world/lookup.ts';
import type { Job, Run } from '../../world/state-actions.ts';
import { iso, isoOrNull } from '../../world/time.ts';
import type { World } from '../../world/world.ts';

export async function announceRun(
  world: World,
  run: Run,
  action: 'requested' | 'in_progress' | 'completed',
): Promise<void> {
  await emitChange(world, {
    type: 'workflow_run',
    action,
    repo: repoById(world, run.repoId),
    sender: world.state.users[run.triggeringActorId] ?? machineSender(world),
    byTokenKind: 'app',
    runId: run.id,
    payload: { workflow_run: runPayload(world, run) },
  });
}

export async function announceJob(
  world: World,
  job: Job,
  action: 'queued' | 'in_progress' | 'completed' | 'waiting',
): Promise<void> {
  const run = world.state.runs[job.runId];
  if (run === undefined) throw new Error(`job ${job.id} belongs to run ${job.runId}, which is not there`);
  await emitChange(world, {
    type: 'workflow_job',
    action,
    repo: repoById(world, job.repoId),
    sender: world.state.users[run.triggeringActorId] ?? machineSender(world),
    byTokenKind: 'app',
    runId: run.id,
    payload: { workflow_job: jobPayload(world, job, run) },
  });
}

function runPayload(world: World, run: Run): Json {
  const repo = repoById(world, run.repoId);
  const actor = userById(world, run.actorId);
  return {
    id: run.id,
    name: run.name,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    display_title: run.displayTitle,
    run_number: run.runNumber,
    run_attempt: run.runAttempt,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflowId,
    check_suite_id: run.checkSuiteId,
    html_url: `${world.baseUrl}/${repo.owner}/${repo.name}/actions/runs/${run.id}`,
    created_at: iso(run.createdAtMs),
    updated_at: iso(run.updatedAtMs),
    run_started_at: iso(run.startedAtMs),
    actor: { login: actor.login, id: actor.id, type: actor.type },
    pull_requests: run.pullNumbers.map((number) => ({ number })),
  };
}

function jobPayload(world: World, job: Job, run: Run): Json {
  const repo = repoById(world, job.repoId);
  return {
    id: job.id,
    run_id: job.runId,
    run_attempt: job.runAttempt,
    workflow_name: run.name,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    name: job.name,
    status: job.status,
    conclusion: job.conclusion,
    labels: job.labels,
    runner_name: job.runnerName,
    html_url: `${world.baseUrl}/${repo.owner}/${repo.name}/actions/runs/${run.id}/job/${job.id}`,
    created_at: iso(job.createdAtMs),
    started_at: isoOrNull(job.startedAtMs),
    completed_at: isoOrNull(job.completedAtMs),
  };
}
