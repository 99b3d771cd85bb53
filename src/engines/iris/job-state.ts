/** Interprets the Iris states of a job and its only task. The task decides while the job is live; no exit code decides a status. */

import type { z } from 'zod';
import type { FoundJob, JobMetadata } from '../../domain/engine.ts';
import { foundJob } from '../shared/kit.ts';
import type { IrisCluster } from './definition.ts';
import { type IrisJob, type IrisTask, irisLimits, type listAnswer } from './request.ts';

/** A start that the script refused. The text appears in the task's `error`, which contains the end of standard error. */
const REFUSED = /ferrybot refused (again|restart|set-up): /;

type ListedJob = z.infer<typeof listAnswer>['jobs'][number];

/** One observation. `task`: the job's only task; null until Iris creates it. */
export type ObservedIrisJob = {
  readonly job: IrisJob['job'];
  readonly task: IrisTask | null;
  readonly metadata: JobMetadata | null;
  readonly bundleId: string;
  readonly session: string | null;
  /** The command's exit status from the end line in the job's log; null without that line. */
  readonly exitCodeInLog: number | null;
  readonly nowMs: number;
};

export type IrisJudgement =
  | FoundJob
  | { readonly kind: 'unknown'; readonly message: string }
  | { readonly kind: 'lost'; readonly message: string };

export const FINAL: ReadonlySet<string> = new Set(
  ['SUCCEEDED', 'FAILED', 'KILLED', 'WORKER_FAILED', 'UNSCHEDULABLE'].map((state) => `JOB_STATE_${state}`),
);
const TIME_LIMIT = /^Execution timeout exceeded/;
const WAITING: ReadonlySet<string> = new Set(
  ['PENDING', 'ASSIGNED', 'BUILDING', 'PREEMPTED', 'WORKER_FAILED', 'MISSING'].map((state) => `TASK_STATE_${state}`),
);
const LIVING: ReadonlySet<string> = new Set(['PENDING', 'BUILDING', 'RUNNING'].map((state) => `JOB_STATE_${state}`));

/**
 * The time in milliseconds since which the end line in the log counts; null: the Iris state is enough. Iris leaves open
 * whether a killed process still runs. A command may also end before its worker reports the start: then only an end line
 * after the submission counts, because an earlier job of that name may have written another.
 */
export function reportedEndSinceMs(
  { state, error, submittedAt }: IrisJob['job'],
  task: IrisTask | null,
): number | null {
  if (state === 'JOB_STATE_SUCCEEDED')
    return task?.startedAt === undefined && submittedAt !== undefined ? submittedAt : null;
  const isOpen = state === 'JOB_STATE_KILLED' || state === 'JOB_STATE_WORKER_FAILED' || TIME_LIMIT.test(error);
  return isOpen ? 0 : null;
}

/** The task's newest attempt number in Iris; -1 if the task was never placed. */
export function attemptNumber(task: IrisTask | null): number {
  return task?.currentAttemptId ?? -1;
}

/** Returns what the job is doing, or how it ended. */
export function judgeJob(seen: ObservedIrisJob): IrisJudgement {
  const { job } = seen;
  if (!FINAL.has(job.state))
    return LIVING.has(job.state)
      ? judgeLiving(seen)
      : { kind: 'unknown', message: `Iris says ${job.state}, which is no state known here` };
  switch (job.state) {
    case 'JOB_STATE_SUCCEEDED':
      return judgeSucceeded(seen);
    case 'JOB_STATE_KILLED':
      return judgeKilled(seen);
    default:
      return judgeFailed(seen);
  }
}

/** RUNNING of the job only means that it was placed once. A job with a waiting task is PENDING, even if it ran before. */
function judgeLiving(seen: ObservedIrisJob): IrisJudgement {
  const { job, task } = seen;
  const state = task?.state ?? 'TASK_STATE_PENDING';
  const isWaiting = task === null || WAITING.has(state);
  const reason = isWaiting ? (task?.pendingReason || job.pendingReason).replaceAll(/\s+/g, ' ').trim() : '';
  const said = `Iris says ${shortStateName(state)}${reason === '' ? '' : `: ${reason}`}.`;
  return toFoundJob(seen, {
    status: isWaiting ? 'PENDING' : 'RUNNING',
    message: [said, describeRestarts(seen)].filter(Boolean).join(' '),
    ...(reason === '' ? {} : { details: { reason } }),
  });
}

/** A worker that already ran a job of this name returns the old result immediately. Then nothing has run. */
function judgeSucceeded(seen: ObservedIrisJob): IrisJudgement {
  const { job, task, exitCodeInLog } = seen;
  if (task?.startedAt === undefined && exitCodeInLog !== 0)
    return {
      kind: 'unknown',
      message:
        'Iris says SUCCEEDED of a task that never started: it may be the result of an earlier job on that worker',
    };
  return toFoundJob(seen, {
    status: 'SUCCEEDED',
    message: [`Iris says SUCCEEDED.`, describeRestarts(seen)].filter(Boolean).join(' '),
    exitCode: 0,
    endedAtMs: job.finishedAt ?? null,
  });
}

/** Iris writes KILLED before anything has ended. */
function judgeKilled(seen: ObservedIrisJob): IrisJudgement {
  const { job, task } = seen;
  const why = (job.error || task?.error) ?? '';
  const said = `Iris says KILLED${why === '' ? '' : `: ${why}`}.`;
  const proof = findProofOfEnd(seen);
  if (proof === null) return buildEnding(seen, said);
  return toFoundJob(seen, { status: 'STOPPED', endedAtMs: job.finishedAt ?? null, message: `${said} ${proof}` });
}

/**
 * Why no process of a job that Iris ended can still run; null: one may. Newer controllers record when the worker reported
 * the end of the task; those of May 2026 never do.
 */
function findProofOfEnd({ job, task, exitCodeInLog, nowMs }: ObservedIrisJob): string | null {
  if (exitCodeInLog !== null) return `The job says itself that it has ended, with status ${exitCodeInLog}.`;
  if (attemptNumber(task) === -1) return 'It was never placed.';
  if (task?.finishedAt !== undefined) return 'Its worker has said that it has ended.';
  const sinceMs = job.finishedAt === undefined ? 0 : nowMs - job.finishedAt;
  return sinceMs >= irisLimits.killedCertainMs
    ? 'The job has not said itself that it ended; no worker keeps a task for so long after that.'
    : null;
}

function buildEnding(seen: ObservedIrisJob, said: string): IrisJudgement {
  return toFoundJob(seen, {
    status: 'RUNNING',
    message: `${said} Its process may still run: neither the job nor its worker has said that it ended.`,
    details: { stopping: 'yes' },
  });
}

function judgeFailed(seen: ObservedIrisJob): IrisJudgement {
  const { job, task, exitCodeInLog } = seen;
  const error = task?.error || job.error;
  const [, refusal] = REFUSED.exec(error) ?? [];
  if (refusal === 'again')
    return {
      kind: 'lost',
      message: `Iris started the job again under its name, which started nothing; how the first start ended is not known: ${error}`,
    };
  const code = task?.exitCode ?? 0;
  const errorType = refusal === 'restart' ? describeLost(seen) : chooseErrorType(job.state, error, code);
  const isCommand = errorType === 'JOB_ENTRYPOINT_COMMAND_ERROR' || errorType === 'OUT_OF_MEMORY';
  const signal = code < 0 ? String(-code) : code > 128 && code < 160 ? String(code - 128) : null;
  const said = `Iris says ${shortStateName(job.state)}${error === '' ? '' : `: ${error}`}.`;
  // Iris records a time limit, like KILLED, before anything has ended.
  if (errorType === 'TIMEOUT' && findProofOfEnd(seen) === null) return buildEnding(seen, said);
  // WORKER_FAILED is what Iris knows. The command may have ended before the worker was lost.
  const own =
    job.state === 'JOB_STATE_WORKER_FAILED' && exitCodeInLog !== null
      ? ` By its own word the command ended with status ${exitCodeInLog}.`
      : '';
  return toFoundJob(seen, {
    status: 'FAILED',
    message: [`${said}${own}`, describeRestarts(seen)].filter(Boolean).join(' '),
    errorType,
    exitCode: isCommand && signal === null && code > 0 ? code : null,
    endedAtMs: job.finishedAt ?? null,
    ...(signal === null ? {} : { details: { signal } }),
  });
}

/** Why Iris started an attempt that was not approved. */
function describeLost({ job }: ObservedIrisJob): string {
  return job.failureCount > 1 ? 'JOB_ENTRYPOINT_COMMAND_ERROR' : 'WORKER_FAILED';
}

function chooseErrorType(state: string, error: string, code: number): string {
  if (state !== 'JOB_STATE_FAILED') return shortStateName(state);
  if (TIME_LIMIT.test(error)) return 'TIMEOUT';
  if (/OOM killed/.test(error)) return 'OUT_OF_MEMORY';
  if (REFUSED.test(error)) return 'JOB_ENTRYPOINT_COMMAND_START_ERROR';
  // Ray's error type, so that one rule covers all engines. Without an exit code, the command never started.
  return code === 0 ? 'JOB_ENTRYPOINT_COMMAND_START_ERROR' : 'JOB_ENTRYPOINT_COMMAND_ERROR';
}

function describeRestarts({ job, task }: ObservedIrisJob): string {
  const again = Math.max(attemptNumber(task), 0);
  if (again === 0 && job.preemptionCount === 0) return '';
  return `Iris has started it ${again} time(s) again (${job.preemptionCount} lost workers, ${job.failureCount} failures).`;
}

type JudgedStatus = Pick<FoundJob, 'status' | 'message'> &
  Partial<Pick<FoundJob, 'errorType' | 'exitCode' | 'endedAtMs' | 'details'>>;

function toFoundJob({ job, task, metadata, bundleId, session }: ObservedIrisJob, said: JudgedStatus): FoundJob {
  const restarts = Math.max(attemptNumber(task), 0);
  return foundJob({
    startedAtMs: task?.startedAt ?? null,
    metadata,
    session,
    ...said,
    details: {
      irisState: shortStateName(job.state),
      ...(task === null ? {} : { taskState: shortStateName(task.state) }),
      ...(task === null || task.workerId === '' ? {} : { worker: task.workerId }),
      ...(bundleId === '' ? {} : { bundle: bundleId }),
      ...(restarts === 0 ? {} : { restarts: String(restarts) }),
      ...(job.preemptionCount === 0 ? {} : { lostWorkers: String(job.preemptionCount) }),
      ...said.details,
    },
  });
}

function shortStateName(state: string): string {
  return state.replace(/^(?:JOB|TASK)_STATE_/, '');
}

/** A running job with the state of its newest living child; unchanged if none lives. `device`: what the child has to have. */
export function judgeChild(
  seen: FoundJob,
  children: readonly ListedJob[],
  device: IrisCluster['childDevice'],
): FoundJob {
  const [child] = children
    .filter(({ state }) => LIVING.has(state))
    .toSorted((a, b) => (b.submittedAt ?? 0) - (a.submittedAt ?? 0));
  if (child === undefined) return seen;
  const ready = child.taskStateCounts['running'] ?? 0;
  const isWaiting = ready === 0 && child.taskStateCounts['building'] === undefined;
  const reason = isWaiting ? child.pendingReason.replaceAll(/\s+/g, ' ').trim() : '';
  const said = `Its job ${child.jobId} is ${shortStateName(child.state)}, with ${ready} of ${child.taskCount} tasks running${reason === '' ? '' : `: ${reason}`}.`;
  return {
    ...seen,
    status: isWaiting ? 'PENDING' : 'RUNNING',
    message: `${seen.message} ${said}`,
    details: {
      ...seen.details,
      ...{ child: child.jobId, childState: shortStateName(child.state) },
      ...{ workersAsked: String(child.taskCount), workersReady: String(ready) },
      ...(reason === '' ? {} : { reason }),
      ...topologyOf(child, device),
    },
  };
}

function topologyOf(
  { resources }: ListedJob,
  asked: IrisCluster['childDevice'],
): { readonly acceleratorAsked?: string; readonly accelerator?: string } {
  if (asked === null) return {};
  const { tpu, gpu } = resources?.device ?? {};
  return {
    acceleratorAsked: asked.kind === 'gpu' ? `${asked.variant}x${asked.count}` : asked.variant,
    accelerator: gpu === undefined ? (tpu?.variant ?? 'none') : `${gpu.variant}x${gpu.count}`,
  };
}
