/** Observes a job on Iris. A job that Iris does not know is absent only if it was never seen before. */

import type { FoundJob, JobObservation } from '../../domain/engine.ts';
import { type IdentityNames, isSubmissionId, missingJob, readIdentity, unknownOutcome } from '../shared/kit.ts';
import { attemptNumber, judgeChild, judgeJob, reportedEndSinceMs } from './job-state.ts';
import {
  buildIrisId,
  call,
  type IrisAnswer,
  type IrisJob,
  type IrisSettings,
  type IrisTask,
  irisLimits,
  listAnswer,
  logsAnswer,
  processAnswer,
  statusAnswer,
  tasksAnswer,
} from './request.ts';

/** Iris of May 2026 redacts values that resemble keys, such as forty hexadecimal digits, under most names that do not end in _ID. */
export const IDENTITY: IdentityNames = {
  run: 'FERRYBOT_RUN_ID',
  attempt: 'FERRYBOT_ATTEMPT_ID',
  manifest: 'FERRYBOT_MANIFEST_ID',
  proof: 'FERRYBOT_PROOF_ID',
};

/** Observes the job once. */
export async function observeOnIris(
  settings: IrisSettings,
  jobId: string,
  lastSession: string | null,
): Promise<JobObservation> {
  const answer = isSubmissionId(jobId)
    ? await call(settings, 'status', { jobId: buildIrisId(settings, jobId) }, statusAnswer)
    : null;
  if (answer === null || isMissing(answer)) return judgeMissing(settings, lastSession);
  if (answer.kind !== 'said') return unknownOutcome(answer.message);
  return judgeFound(settings, jobId, answer.value);
}

/** The controller's only refusal that concerns this job, not the caller or the request. */
export function isMissing(answer: IrisAnswer<unknown>): boolean {
  return answer.kind === 'refused' && answer.status === 404 && answer.code === 'not_found';
}

async function judgeMissing(settings: IrisSettings, lastSession: string | null): Promise<JobObservation> {
  const process = await readProcess(settings);
  if (process.kind === 'unknown') return process;
  const message =
    lastSession === process.id
      ? 'Iris no longer names the job: it deletes what ended a week ago, and how this ended is not known'
      : `the controller restarted (${lastSession} before, ${process.id} now) and has forgotten the job, as one does that came up from an old checkpoint; how it ended is not known`;
  return missingJob(lastSession, process.id, message);
}

async function judgeFound(settings: IrisSettings, jobId: string, { job, request }: IrisJob): Promise<JobObservation> {
  const asked = await call(settings, 'tasks', { jobId: buildIrisId(settings, jobId) }, tasksAnswer);
  if (asked.kind !== 'said') return unknownOutcome(asked.message);
  const { tasks } = asked.value;
  const own = tasks.filter(({ taskId }) => taskId === `${job.jobId}/0`);
  const [task = null] = own;
  if (tasks.length !== own.length)
    return unknownOutcome(`the job has ${tasks.length} tasks, where ferrybot starts one`);
  // The task may change between both answers. The job was read first, and a final state does not change.
  const sinceMs = reportedEndSinceMs(job, task);
  const said = sinceMs === null ? null : await readReportedEnd(settings, jobId, task, sinceMs);
  if (said !== null && typeof said !== 'number') return said;
  const seen = judgeJob({
    job,
    task,
    metadata: readIdentity(request?.environment?.envVars, IDENTITY),
    bundleId: request?.bundleId ?? '',
    session: null,
    exitCodeInLog: said,
    nowMs: settings.now(),
  });
  if (seen.kind === 'found') return job.hasChildren ? withChild(settings, job.jobId, seen) : seen;
  if (seen.kind !== 'lost') return seen;
  const process = await readProcess(settings);
  return process.kind === 'unknown' ? process : { kind: 'state-lost', session: process.id, message: seen.message };
}

/**
 * The job with what its newest living child does: a job that only starts others runs while the accelerators of its child are waited for.
 * Children of children count as well.
 */
async function withChild(settings: IrisSettings, jobId: string, seen: FoundJob): Promise<JobObservation> {
  if (seen.status !== 'RUNNING' || seen.details['stopping'] !== undefined) return seen;
  // The prefix ignores case.
  const query = { jobIdPrefix: `${jobId}/`, limit: irisLimits.childrenPerList };
  const answer = await call(settings, 'list', { query }, listAnswer);
  if (answer.kind !== 'said') return unknownOutcome(answer.message);
  const children = answer.value.jobs.filter((one) => one.jobId.startsWith(`${jobId}/`));
  return judgeChild(seen, children, settings.cluster.childDevice);
}

/** The exit status from the end line in the job's log since that moment; null without that line. */
async function readReportedEnd(
  settings: IrisSettings,
  jobId: string,
  task: IrisTask | null,
  sinceMs: number,
): Promise<number | null | { readonly kind: 'unknown'; readonly message: string }> {
  const attempt = attemptNumber(task);
  if (attempt === -1) return null;
  const body = {
    // Only this attempt: a job that it started may have logged more since.
    source: `${buildIrisId(settings, jobId)}/0:${attempt}`,
    matchScope: 'MATCH_SCOPE_EXACT',
    tail: true,
    maxLines: irisLimits.lastLines,
  };
  const answer = await call(settings, 'logs', body, logsAnswer);
  if (answer.kind !== 'said') return unknownOutcome(answer.message);
  for (const { data, timestamp = 0 } of answer.value.entries.toReversed()) {
    if (timestamp < sinceMs) continue;
    const code = parseReportedEnd(data, jobId, attempt);
    if (code !== null) return code;
  }
  return null;
}

export type IrisProcess = {
  readonly kind: 'process';
  /** Host, pid and start minute. Controllers in containers all have the same pid. */
  readonly id: string;
  readonly processKey: string;
  readonly startedAtMs: number;
};

/** The controller process that answers now. */
export async function readProcess(
  settings: IrisSettings,
): Promise<IrisProcess | { readonly kind: 'unknown'; readonly message: string }> {
  const answer = await call(settings, 'process', { maxLogLines: 1 }, processAnswer);
  if (answer.kind !== 'said') return unknownOutcome(answer.message);
  const { hostname, pid, uptimeMs } = answer.value.processInfo;
  const beganAtMs = settings.now() - uptimeMs;
  const who = `${hostname}:${pid}`;
  return {
    kind: 'process',
    id: `${who}:${Math.round(beganAtMs / irisLimits.sessionMinuteMs)}`,
    processKey: who,
    startedAtMs: beganAtMs,
  };
}

/** Parses the exit status of that attempt's command from one log line; null for any other line. */
function parseReportedEnd(line: string, jobId: string, attempt: number): number | null {
  const word = `ferrybot end ${jobId}:${attempt} `;
  const at = line.lastIndexOf(word);
  const code = at === -1 ? '' : line.slice(at + word.length);
  return /^\d{1,3}$/.test(code) ? Number(code) : null;
}
