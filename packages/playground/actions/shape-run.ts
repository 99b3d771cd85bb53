/** Workflows, runs and jobs as the REST API writes them (docs.github.com/rest/actions). */

import { pullsAt } from '../checks/shape-check.ts';
import { shapeSimpleCommit } from '../git/shape-commit.ts';
import { repoApi, repoPage, shapeMinimalRepo } from '../git/shape-repo.ts';
import { shapeUserById } from '../identity/shape-people.ts';
import type { JsonObject } from '../world/json.ts';
import { findPull, repoById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import type { Job, Run, Workflow } from './state-actions.ts';

export function shapeWorkflow(world: World, row: Workflow): JsonObject {
  const repo = repoById(world, row.repoId);
  return {
    id: row.id,
    node_id: nodeId('W', row.id),
    name: row.name,
    path: row.path,
    state: row.state,
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.updatedAtMs),
    url: `${repoApi(world, repo)}/actions/workflows/${row.id}`,
    html_url: `${repoPage(world, repo)}/blob/${repo.defaultBranch}/${row.path}`,
    badge_url: `${repoPage(world, repo)}/actions/workflows/${row.path.split('/').at(-1) ?? ''}/badge.svg`,
  };
}

/** docs.github.com/rest/actions/workflow-runs: a run with its commit. */
export async function shapeRun(world: World, run: Run): Promise<JsonObject> {
  const repo = repoById(world, run.repoId);
  const url = `${repoApi(world, repo)}/actions/runs/${run.id}`;
  const head = await world.gitOf(repo).readCommit(run.headSha);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('WFR', run.id),
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
    check_suite_node_id: nodeId('CS', run.checkSuiteId),
    url,
    html_url: `${repoPage(world, repo)}/actions/runs/${run.id}`,
    pull_requests: pullsAt(world, repo, run.headSha),
    created_at: toIso(run.createdAtMs),
    updated_at: toIso(run.updatedAtMs),
    actor: shapeUserById(world, run.actorId),
    triggering_actor: shapeUserById(world, run.triggeringActorId),
    run_started_at: toIso(run.startedAtMs),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repoApi(world, repo)}/check-suites/${run.checkSuiteId}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.runAttempt > 1 ? `${url}/attempts/${run.runAttempt - 1}` : null,
    workflow_url: `${repoApi(world, repo)}/actions/workflows/${run.workflowId}`,
    head_commit: head === null ? null : shapeSimpleCommit(head),
    repository: shapeMinimalRepo(world, repo),
    head_repository: shapeMinimalRepo(world, headRepo(world, run)),
    referenced_workflows: [],
  };
}

/** The repository of the head: for a pull request from a fork that fork, even if the run uses the base's own files. */
function headRepo(world: World, run: Run): Repo {
  const repo = repoById(world, run.repoId);
  const [number] = run.pullNumbers;
  const pull = number === undefined ? null : findPull(world, repo, number);
  return (pull === null ? undefined : world.state.repos[pull.pull.headRepoId]) ?? repo;
}

export function shapeJob(world: World, job: Job): JsonObject {
  const repo = repoById(world, job.repoId);
  const run = world.state.runs[job.runId];
  const page = `${repoPage(world, repo)}/actions/runs/${job.runId}/job/${job.id}`;
  return {
    id: job.id,
    run_id: job.runId,
    run_url: `${repoApi(world, repo)}/actions/runs/${job.runId}`,
    run_attempt: job.runAttempt,
    node_id: nodeId('WFJ', job.id),
    head_sha: run?.headSha ?? '',
    head_branch: run?.headBranch ?? null,
    workflow_name: run?.name ?? null,
    url: `${repoApi(world, repo)}/actions/jobs/${job.id}`,
    html_url: page,
    status: job.status,
    conclusion: job.conclusion,
    created_at: toIso(job.createdAtMs),
    // Before a job starts, GitHub reports its creation time here.
    started_at: toIso(job.startedAtMs ?? job.createdAtMs),
    completed_at: toIsoOrNull(job.completedAtMs),
    name: job.name,
    steps: job.steps.map((step) => ({
      name: step.name,
      status: step.status,
      conclusion: step.conclusion,
      number: step.number,
      started_at: toIsoOrNull(step.startedAtMs),
      completed_at: toIsoOrNull(step.completedAtMs),
    })),
    // On GitHub a job and its check run have the same id.
    check_run_url: `${repoApi(world, repo)}/check-runs/${job.checkRunId ?? job.id}`,
    labels: [...job.labels],
    runner_id: job.runnerName === null ? null : 1,
    runner_name: job.runnerName,
    runner_group_id: job.runnerName === null ? null : 1,
    runner_group_name: job.runnerName === null ? null : 'Default',
  };
}
