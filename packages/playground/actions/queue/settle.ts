/**
 * One pass over the whole queue: plan new runs, carry out cancellations, advance runs, admit waiting ones, use free
 * runners.
 */

import { actions } from '../../limits/limits.ts';
import type { Job } from '../state-actions.ts';
import { advanceRun } from './advance-run.ts';
import { cancelRun } from './cancel.ts';
import { findGroup, listOpenRuns } from './concurrency.ts';
import type { Engine } from './engine.ts';
import { appendLog, completeJob, updateJob } from './job-rows.ts';
import { pickRunner } from './pick-runner.ts';
import { updateNode } from './plan-rows.ts';
import { planRun } from './plan-run.ts';
import { updateRun } from './run-rows.ts';
import { startJob } from './start-job.ts';

/** Repeats passes until nothing changes. Only the state decides, so an extra pass does nothing. */
export async function settle(engine: Engine): Promise<void> {
  if (engine.stopped.aborted) {
    await engine.world.save();
    return;
  }
  await planNewAttempts(engine);
  endOldRuns(engine);
  await executeCancellations(engine);
  // Every round ends or admits something; the bound only stops a bug from looping forever.
  for (let round = 0; round < actions.settleRounds; round += 1) {
    for (const [run] of listOpenRuns(engine.world)) await advanceRun(engine, run.id);
    if (!admitWaiting(engine)) break;
  }
  await failJobsWithoutRunner(engine);
  await useFreeRunners(engine);
  await engine.world.save();
}

/** Runs that the API made (a dispatch, a re-run) have no plan for their attempt yet. */
async function planNewAttempts(engine: Engine): Promise<void> {
  const { world } = engine;
  for (const run of Object.values(world.state.runs)) {
    if (run.status === 'completed') continue;
    if (world.state.runPlans[run.id]?.attempt === run.runAttempt) continue;
    await planRun(engine, run, null);
  }
}

/** Cancels a run that exceeded its maximum age, regardless of its conditions. */
function endOldRuns({ world }: Engine): void {
  for (const [run] of listOpenRuns(world)) {
    if (run.cancelForced || world.clock.now() - run.startedAtMs < actions.runLifeMs) continue;
    updateRun(world, run.id, { cancelRequested: true, cancelForced: true });
  }
}

async function executeCancellations(engine: Engine): Promise<void> {
  for (const [run] of listOpenRuns(engine.world)) if (run.cancelRequested) await cancelRun(engine, run.id);
}

/** Admits waiting runs and jobs whose group is free, oldest first; true if any was admitted. */
function admitWaiting(engine: Engine): boolean {
  const { world } = engine;
  let any = false;
  for (const [run, plan] of listOpenRuns(world)) {
    if (run.status === 'pending' && isFirst(engine, run.repoId, plan.group, run.id, null)) {
      updateRun(world, run.id, { status: 'queued' });
      any = true;
    }
    for (const node of plan.nodes) {
      if (node.state !== 'pending' || !isFirst(engine, run.repoId, node.group, run.id, node.key)) continue;
      updateNode(world, run.id, node.key, { state: 'queued' });
      if (node.jobId !== null) updateJob(world, node.jobId, { status: 'queued', queuedAtMs: world.clock.now() });
      any = true;
    }
  }
  return any;
}

function isFirst(engine: Engine, repoId: number, name: string | null, runId: number, key: string | null): boolean {
  if (name === null) return true;
  const group = findGroup(engine.world, repoId, name);
  const [first] = group.pending;
  return group.active.length === 0 && first?.runId === runId && first.key === key;
}

/** A job that waited for a runner for a day fails, as on GitHub. */
async function failJobsWithoutRunner(engine: Engine): Promise<void> {
  const { world } = engine;
  for (const job of queuedJobs(engine)) {
    if (world.clock.now() - (job.queuedAtMs ?? job.createdAtMs) < actions.queueWaitMs) continue;
    appendLog(world, job.id, `##[error]No runner with the labels ${job.labels.join(', ')} took the job in 24 hours.`);
    await completeJob(world, job.id, 'failure');
    updateNode(world, job.runId, job.key, { state: 'done', result: 'failure' });
    await advanceRun(engine, job.runId);
  }
}

async function useFreeRunners(engine: Engine): Promise<void> {
  for (const job of queuedJobs(engine)) {
    const runner = await pickRunner(engine, job);
    if (runner !== null) await startJob(engine, job, runner, () => settle(engine));
  }
}

function queuedJobs(engine: Engine): readonly Job[] {
  const { world } = engine;
  const jobs: Job[] = [];
  for (const [run, plan] of listOpenRuns(world)) {
    if (run.status === 'pending') continue;
    for (const node of plan.nodes) {
      const job = node.jobId === null ? undefined : world.state.jobs[node.jobId];
      if (node.state === 'queued' && job !== undefined) jobs.push(job);
    }
  }
  return jobs.sort((a, b) => a.id - b.id);
}
