/** Starts a queued job on a runner and records how it ended. */

import { mintWorkflowToken, revokeToken } from '../../identity/tokens.ts';
import { actions } from '../../limits/limits.ts';
import { repoById } from '../../world/lookup.ts';
import type { World } from '../../world/world.ts';
import { evaluateValue, isTrue } from '../expressions/evaluate.ts';
import { mintRuntimeToken } from '../results/runtime-token.ts';
import { runJob } from '../runner/run-job.ts';
import type { JobResult, JobWork, Runner } from '../runner/runner-types.ts';
import type { Job, Run } from '../state-actions.ts';
import { announceJob, announceRun } from './announce.ts';
import type { Engine } from './engine.ts';
import { githubContext } from './github-context.ts';
import { grantedPermissions, secretsFor, variablesFor } from './job-grants.ts';
import { annotate, appendLog, completeJob, jobReport, updateJob } from './job-rows.ts';
import { findPlan, updateNode } from './plan-rows.ts';
import { type PlannedJob, readDefinitions } from './run-definitions.ts';
import { updateRun } from './run-rows.ts';
import { findNode, jobScope, needsContext, runScope } from './run-scope.ts';

/**
 * The job is running when this resolves. `afterwards` is called, in the queue's order, once the job's end is in the
 * state.
 */
export async function startJob(
  engine: Engine,
  job: Job,
  runner: Runner,
  afterwards: () => Promise<void>,
): Promise<void> {
  const { world } = engine;
  const now = world.clock.now();
  const queued = world.state.runs[job.runId];
  if (queued === undefined) throw new Error(`there is no run ${job.runId}`);
  const first = queued.status !== 'in_progress';
  const run = first ? updateRun(world, job.runId, { status: 'in_progress', startedAtMs: now }) : queued;
  updateNode(world, run.id, job.key, { state: 'running' });
  const started = updateJob(world, job.id, { status: 'in_progress', runnerName: runner.name, startedAtMs: now });
  const { work, planned } = await buildWork(engine, run, started, runner);
  const cancel = new AbortController();
  const force = new AbortController();
  // Mark the runner as taken before the first await, so that no other search finds it free.
  const done = (async () => {
    await world.save();
    if (first) await announceRun(world, run, 'in_progress');
    await announceJob(world, started, 'in_progress');
    const { executor, actionDirectories, actionBundles, workDirectory } = engine;
    const signals = { cancel: cancel.signal, force: force.signal };
    const options = { executor, actionDirectories, actionBundles, workDirectory, ...signals };
    const result = await runToEnd(engine, job.id, () => runJob(work, options, jobReport(world, job.id)));
    await engine.serially(async () => {
      engine.active.delete(job.id);
      revokeToken(world, work.token);
      await finish(engine, started, planned, result);
      await afterwards();
    });
  })();
  engine.active.set(job.id, { runId: run.id, runnerName: runner.name, cancel, force, done });
}

/** A bug or a broken machine fails the job. The error goes to its log and to the caller that waits for the queue. */
async function runToEnd(engine: Engine, jobId: number, run: () => Promise<JobResult>): Promise<JobResult> {
  try {
    return await run();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    appendLog(engine.world, jobId, `##[error]The runner broke: ${message}`);
    engine.broke(new Error(`job ${jobId}: ${message}`, { cause: error }));
    return { conclusion: 'failure', outputs: {}, annotations: [], summary: '' };
  }
}

async function finish(engine: Engine, job: Job, planned: PlannedJob, ended: JobResult): Promise<void> {
  const { world } = engine;
  const result = limitToRun(world, job, ended);
  annotate(world, job.id, result.annotations);
  await completeJob(world, job.id, result.conclusion, { summary: result.summary });
  const run = world.state.runs[job.runId];
  if (run === undefined) throw new Error(`there is no run ${job.runId}`);
  const plan = findPlan(world, job.runId);
  const given = planned.definition.continueOnError;
  const scope = jobScope(runScope(world, run, plan, engine.serverUrl), run, plan, planned);
  const forgiven = typeof given === 'boolean' ? given : isTrue(evaluateValue(given, scope));
  updateNode(world, job.runId, job.key, {
    state: 'done',
    result: result.conclusion === 'failure' && forgiven ? 'success' : result.conclusion,
    outputs: result.outputs,
  });
}

/** The outputs of all jobs of a run share one limit; the job that exceeds it fails. */
function limitToRun(world: World, job: Job, result: JobResult): JobResult {
  const sizes = [...findPlan(world, job.runId).nodes.filter((node) => node.key !== job.key), result].map(
    ({ outputs }) => 2 * Object.entries(outputs).flat().join('').length,
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= actions.runOutputBytes) return result;
  appendLog(
    world,
    job.id,
    `##[error]The outputs of a run have at most ${actions.runOutputBytes} bytes in UTF-16, these ${bytes}.`,
  );
  return { ...result, conclusion: 'failure', outputs: {} };
}

async function buildWork(
  engine: Engine,
  run: Run,
  job: Job,
  runner: Runner,
): Promise<{ readonly work: JobWork; readonly planned: PlannedJob }> {
  const { world, serverUrl } = engine;
  const repo = repoById(world, run.repoId);
  const plan = findPlan(world, run.id);
  const { jobs } = await readDefinitions(engine.files, repo, plan.workflowSha, run.path);
  const planned = jobs.find((one) => one.key === job.key);
  if (planned === undefined) throw new Error(`job ${job.key} is not in ${run.path} at ${plan.workflowSha}`);
  const parent = planned.parent === null ? null : findNode(plan, planned.parent);
  const scope = jobScope(runScope(world, run, plan, serverUrl), run, plan, planned);
  const permissions = grantedPermissions(repo, planned, plan);
  return {
    planned,
    work: {
      definition: planned.definition,
      runner,
      id: job.id,
      checkRunId: job.checkRunId,
      trackingId: `github_${crypto.randomUUID()}`,
      repository: `${repo.owner}/${repo.name}`,
      repositoryId: repo.id,
      serverUrl,
      token: mintWorkflowToken(world, run, permissions).token,
      runtimeToken: mintRuntimeToken(world, job),
      permissions,
      secrets: secretsFor(world, run, plan, job, planned, jobs, scope),
      vars: variablesFor(world, run, job),
      inputs: parent?.inputs ?? plan.inputs,
      needs: needsContext(plan, planned),
      github: { ...githubContext(world, run, plan, serverUrl), job: planned.definition.key },
      payload: run.payload,
      workflowEnv: planned.file.env,
      shell: planned.file.shell,
      workingDirectory: planned.file.workingDirectory,
    },
  };
}
