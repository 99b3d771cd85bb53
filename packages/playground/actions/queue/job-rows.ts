/** The rows of jobs, their logs and the check runs that show them on the commit. */

import { actions, playground } from '../../limits/limits.ts';
import { actionsApp, repoById } from '../../world/lookup.ts';
import { nextId, type World } from '../../world/world.ts';
import type { Annotation, JobReport } from '../runner/runner-types.ts';
import type { CheckAnnotation, Conclusion, Job, Run, Step } from '../state-actions.ts';
import { announceJob } from './announce.ts';
import { updateRun } from './run-rows.ts';

export type NewJob = {
  readonly key: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly environment: string | null;
  readonly status: 'queued' | 'pending' | 'completed';
  readonly conclusion: Conclusion | null;
};

/** Creates a job's row and its check run. A job that never runs (skipped, broken) is created as completed. */
export async function createJob(world: World, run: Run, fresh: NewJob): Promise<Job> {
  const now = world.clock.now();
  const over = fresh.status === 'completed';
  const id = nextId(world, 'jobs');
  const job: Job = {
    id,
    repoId: run.repoId,
    runId: run.id,
    runAttempt: run.runAttempt,
    key: fresh.key,
    name: fresh.name,
    status: fresh.status,
    conclusion: fresh.conclusion,
    labels: fresh.labels,
    runnerName: null,
    environment: fresh.environment,
    steps: [],
    checkRunId: createCheckRun(world, run, id, fresh),
    createdAtMs: now,
    startedAtMs: over ? now : null,
    completedAtMs: over ? now : null,
    summary: '',
  };
  world.state.jobs[id] = job;
  world.state.logs[id] = '';
  updateRun(world, run.id, { jobIds: [...(world.state.runs[run.id]?.jobIds ?? []), id] });
  await announceJob(world, job, over ? 'completed' : 'queued');
  return job;
}

/** Updates the job's row and its check run; returns the new row. */
export function updateJob(world: World, jobId: number, changes: Partial<Job>): Job {
  const job = world.state.jobs[jobId];
  if (job === undefined) throw new Error(`there is no job ${jobId}`);
  const changed: Job = { ...job, ...changes };
  world.state.jobs[jobId] = changed;
  const check = changed.checkRunId === null ? undefined : world.state.checkRuns[changed.checkRunId];
  if (check !== undefined) {
    world.state.checkRuns[check.id] = {
      ...check,
      status: changed.status,
      conclusion: changed.conclusion,
      startedAtMs: changed.startedAtMs ?? check.startedAtMs,
      completedAtMs: changed.completedAtMs,
    };
  }
  return changed;
}

/** Ends a job's row. Unfinished steps become skipped or, after a cancellation, cancelled. */
export async function completeJob(
  world: World,
  jobId: number,
  conclusion: 'success' | 'failure' | 'cancelled' | 'skipped',
  extra: Partial<Job> = {},
): Promise<Job> {
  const now = world.clock.now();
  const leftOver = conclusion === 'cancelled' || conclusion === 'failure' ? 'cancelled' : 'skipped';
  const steps = (world.state.jobs[jobId]?.steps ?? []).map(
    (step): Step =>
      step.status === 'completed'
        ? step
        : {
            ...step,
            status: 'completed',
            conclusion: step.status === 'queued' ? 'skipped' : leftOver,
            completedAtMs: now,
          },
  );
  const job = updateJob(world, jobId, { ...extra, status: 'completed', conclusion, steps, completedAtMs: now });
  await announceJob(world, job, 'completed');
  return job;
}

/**
 * Appends one line with a leading timestamp, as in GitHub's logs. Lines over the limit are dropped, and the log notes
 * that once.
 */
export function appendLog(world: World, jobId: number, line: string): void {
  const log = world.state.logs[jobId] ?? '';
  if (log.length > playground.logCharacters) return;
  const stamped = `${new Date(world.clock.now()).toISOString()} ${line}\n`;
  const full = log.length + stamped.length > playground.logCharacters;
  world.state.logs[jobId] = full
    ? `${log}##[warning]The log is too long; the rest is not kept.\n${' '.repeat(stamped.length)}`
    : log + stamped;
}

/** Writes what a running job reports into its row and log. */
export function jobReport(world: World, jobId: number): JobReport {
  const put = (number: number, change: (step: Step) => Step): void => {
    const steps = [...(world.state.jobs[jobId]?.steps ?? [])];
    const at = number - 1;
    steps[at] = change(steps[at] ?? newStep(number, ''));
    updateJob(world, jobId, { steps });
  };
  return {
    log: (line) => appendLog(world, jobId, line),
    plan: (names) => updateJob(world, jobId, { steps: names.map((name, at) => newStep(at + 1, name)) }),
    stepStarts: (number, name) =>
      put(number, (step) => ({
        ...step,
        name,
        status: 'in_progress',
        startedAtMs: world.clock.now(),
        logOffset: (world.state.logs[jobId] ?? '').length,
      })),
    stepEnds: (number, conclusion) =>
      put(number, (step) => ({ ...step, status: 'completed', conclusion, completedAtMs: world.clock.now() })),
  };
}

/** Shows the job's annotations on its check run. */
export function annotate(world: World, jobId: number, annotations: readonly Annotation[]): void {
  const id = world.state.jobs[jobId]?.checkRunId ?? null;
  const check = id === null ? undefined : world.state.checkRuns[id];
  if (check === undefined) return;
  world.state.checkRuns[check.id] = {
    ...check,
    annotations: annotations.slice(0, actions.annotationsPerJob).map(toCheckAnnotation),
  };
}

function toCheckAnnotation(one: Annotation): CheckAnnotation {
  return {
    path: one.path ?? '.github',
    startLine: one.line ?? 1,
    endLine: one.endLine ?? one.line ?? 1,
    startColumn: one.column,
    endColumn: one.endColumn,
    level: one.level,
    message: one.message,
    title: one.title,
    rawDetails: null,
  };
}

function newStep(number: number, name: string): Step {
  return { number, name, status: 'queued', conclusion: null, startedAtMs: null, completedAtMs: null, logOffset: null };
}

function createCheckRun(world: World, run: Run, jobId: number, fresh: NewJob): number {
  const now = world.clock.now();
  const repo = repoById(world, run.repoId);
  const id = nextId(world, 'checkRuns');
  world.state.checkRuns[id] = {
    id,
    repoId: run.repoId,
    suiteId: run.checkSuiteId,
    appId: actionsApp.appId,
    name: fresh.name,
    headSha: run.headSha,
    status: fresh.status,
    conclusion: fresh.conclusion,
    externalId: String(jobId),
    detailsUrl: `${world.baseUrl}/${repo.owner}/${repo.name}/actions/runs/${run.id}/job/${jobId}`,
    startedAtMs: now,
    completedAtMs: fresh.status === 'completed' ? now : null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
  return id;
}
