/** What a job of Iris is doing; a job that it does not name is absent only where nobody has ever seen it. */

import type { EngineSession, JobObservation } from '../../domain/engine.ts';
import { type IdentityNames, identityIn, isSubmissionId, missingJob, unknownBecause } from '../shared/kit.ts';
import {
  type Answer,
  ask,
  type IrisJob,
  type IrisSettings,
  type IrisTask,
  irisIdOf,
  irisLimits,
  logsAnswer,
  processAnswer,
  statusAnswer,
  tasksAnswer,
} from './ask.ts';
import { attemptOf, judgeJob, ownWordSinceMs } from './job-state.ts';
import { saidEnd } from './wrapper.ts';

/** Iris of May 2026 shows what looks like a key, such as forty hexadecimal digits, as [REDACTED] under most names that do not end so. */
export const IDENTITY: IdentityNames = {
  run: 'FERRYBOT_RUN_ID',
  attempt: 'FERRYBOT_ATTEMPT_ID',
  manifest: 'FERRYBOT_MANIFEST_ID',
  proof: 'FERRYBOT_PROOF_ID',
};

/** Looks once. */
export async function observeOnIris(
  settings: IrisSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const answer = isSubmissionId(jobId)
    ? await ask(settings, 'status', { jobId: irisIdOf(settings, jobId) }, statusAnswer)
    : null;
  if (answer === null || isMissing(answer)) return missing(settings, lastSession);
  if (answer.kind !== 'said') return unknownBecause(answer.message);
  return judged(settings, jobId, answer.value);
}

/** The one no of the controller that is about this job, and not about who asks or how. */
export function isMissing(answer: Answer<unknown>): boolean {
  return answer.kind === 'refused' && answer.status === 404 && answer.code === 'not_found';
}

async function missing(settings: IrisSettings, lastSession: string | null): Promise<JobObservation> {
  const process = await readProcess(settings);
  if (process.kind === 'unknown') return process;
  const message =
    lastSession === process.id
      ? 'Iris no longer names the job: it deletes what ended a week ago, and how this ended is not known'
      : `the controller restarted (${lastSession} before, ${process.id} now) and has forgotten the job, as one does that came up from an old checkpoint; how it ended is not known`;
  return missingJob(lastSession, process.id, message);
}

async function judged(
  settings: IrisSettings,
  jobId: string,
  { job, request }: IrisJob,
): Promise<JobObservation> {
  const asked = await ask(settings, 'tasks', { jobId: irisIdOf(settings, jobId) }, tasksAnswer);
  if (asked.kind !== 'said') return unknownBecause(asked.message);
  const { tasks } = asked.value;
  const own = tasks.filter(({ taskId }) => taskId === `${job.jobId}/0`);
  const [task = null] = own;
  if (tasks.length !== own.length)
    return unknownBecause(`the job has ${tasks.length} tasks, where ferrybot starts one`);
  // Between both answers a task may have gone on: the job was asked for first, and what is final stays.
  const sinceMs = ownWordSinceMs(job, task);
  const said = sinceMs === null ? null : await ownWord(settings, jobId, task, sinceMs);
  if (said !== null && typeof said !== 'number') return said;
  const seen = judgeJob({
    job,
    task,
    metadata: identityIn(request?.environment?.envVars, IDENTITY),
    bundleId: request?.bundleId ?? '',
    session: null,
    saidEnd: said,
    nowMs: settings.now(),
  });
  if (seen.kind !== 'lost') return seen;
  const process = await readProcess(settings);
  return process.kind === 'unknown'
    ? process
    : { kind: 'state-lost', session: process.id, message: seen.message };
}

/** What the job said in its log of its own end since that moment; null: nothing. */
async function ownWord(
  settings: IrisSettings,
  jobId: string,
  task: IrisTask | null,
  sinceMs: number,
): Promise<number | null | { readonly kind: 'unknown'; readonly message: string }> {
  const attempt = attemptOf(task);
  if (attempt === -1) return null;
  const body = {
    // Of this attempt alone: a job that it started may have said more since.
    source: `${irisIdOf(settings, jobId)}/0:${attempt}`,
    matchScope: 'MATCH_SCOPE_EXACT',
    tail: true,
    maxLines: irisLimits.lastLines,
  };
  const answer = await ask(settings, 'logs', body, logsAnswer);
  if (answer.kind !== 'said') return unknownBecause(answer.message);
  for (const { data, timestamp = 0 } of answer.value.entries.toReversed()) {
    if (timestamp < sinceMs) continue;
    const code = saidEnd(data, jobId, attempt);
    if (code !== null) return code;
  }
  return null;
}

export type IrisProcess = {
  readonly kind: 'process';
  /** Host, pid and the minute of the beginning: in a container each controller has the same pid. */
  readonly id: string;
  readonly who: string;
  readonly beganAtMs: number;
};

/** The process that answers now. */
export async function readProcess(
  settings: IrisSettings,
): Promise<IrisProcess | { readonly kind: 'unknown'; readonly message: string }> {
  const answer = await ask(settings, 'process', { maxLogLines: 1 }, processAnswer);
  if (answer.kind !== 'said') return unknownBecause(answer.message);
  const { hostname, pid, uptimeMs } = answer.value.processInfo;
  const beganAtMs = settings.now() - uptimeMs;
  const who = `${hostname}:${pid}`;
  return {
    kind: 'process',
    id: `${who}:${Math.round(beganAtMs / irisLimits.sessionMinuteMs)}`,
    who,
    beganAtMs,
  };
}

/** Whether both are one process of the controller. */
export function isSameProcess(a: IrisProcess, b: IrisProcess): boolean {
  return a.who === b.who && Math.abs(a.beganAtMs - b.beganAtMs) <= irisLimits.uptimeSlackMs;
}

/** The same for the engine's interface; Iris says no version. */
export async function readIrisSession(settings: IrisSettings): Promise<EngineSession> {
  const process = await readProcess(settings);
  return process.kind === 'unknown' ? process : { kind: 'session', id: process.id, version: '' };
}
