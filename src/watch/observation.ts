/** Converts one poll of a job to events: an observation, its incidents, and the end. */

import { DETECTORS } from '../detectors/registry.ts';
import type { ShownCount } from '../diagnosis/training-line.ts';
import { isTerminal, type JobObservation } from '../domain/engine.ts';
import { LOSS_NOT_FINITE } from '../domain/failure-class.ts';
import { readIncident } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/define.ts';
import type { Course, Metrics, OpenLog, TrackerRun } from '../domain/logbook/events/job-events.ts';
import type { WatchEndCause } from '../domain/logbook/events/watch-events.ts';
import { currentJobState } from '../domain/logbook/job-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, instantFromMs, omitUndefined, toRfc3339 } from '../domain/values.ts';
import { isWithheld, redactAndTruncateLine } from '../domain/written-secrets.ts';
import { extendLease, nextObservationMs } from './cadence.ts';
import { buildEvidence, measurePace, updateCourse } from './course.ts';
import type { LogFacts, SignatureMatch } from './log-facts.ts';
import { type ActiveAlarm, buildIncidents, detectStandstill, updateUnread } from './observation-incidents.ts';
import { jobMessage, type Poll, redactAndTruncate, redactAndTruncateEnd } from './poll.ts';
import { addTrackedRow, buildStoreSeen, buildTrackerSeen } from './tracker-and-stores.ts';
import { LOSSES_MAX, thinEvenly } from './training.ts';

/** While one rank dies, others may print a step or two. */
const MOVED_AGAIN = 3;

/** Evidence lines kept with the end; more lines of one class add nothing. */
const DIAGNOSIS_LINES_MAX = 4;

/** The events of one poll, to be appended together. Without a usable answer from the engine, a job is UNKNOWN, never ended. */
export function buildEvents(state: RunState, seen: Poll): readonly EventDraft[] {
  if (state.submission === null || state.end !== null) return [];
  const look = addTrackedRow(state, { ...seen, log: finishFacts(seen.log, seen.job) });
  const evidence = buildEvidence(state, look);
  const alarms = DETECTORS.flatMap(({ id, judge }) => {
    const found = judge(evidence);
    return found.kind === 'alarm' && state.watch.ended === null ? [{ id, ...found }] : [];
  });
  const incidents = buildIncidents(state, look, alarms);
  const data = addNextCheck(state, look, buildObservation(state, look, alarms), incidents);
  return [
    { type: 'observed', role: 'watch', data },
    ...incidents,
    ...buildWatchEnd(state, look),
    ...buildEnd(state, look),
  ];
}

/** Adds the delay until the next observation, which depends on this one's findings, and a lease that outlasts the delay. */
function addNextCheck(
  state: RunState,
  { at, cadence, lease }: Poll,
  data: EventDataByType['observed'],
  incidents: readonly EventDraft[],
): EventDataByType['observed'] {
  const moment = { at: toRfc3339(at), seq: state.head.seq + 1 };
  const told = incidents.flatMap((draft) =>
    draft.type === 'incident' ? [readIncident(draft.data, { ...moment, role: 'watch' })] : [],
  );
  const stateWithCourse = (course: Course | undefined): RunState => ({
    ...state,
    head: { ...state.head, ...moment },
    observation: { ...data, ...omitUndefined({ course }), ...moment },
    incidents: [...state.incidents, ...told],
  });
  const healthy = isHealthy(stateWithCourse(data.course)) ? (state.observation?.course?.healthy ?? 0) + 1 : 0;
  const course =
    cadence.settleMs === null
      ? data.course
      : { ...data.course, healthy: Math.min(healthy, cadence.settleObservations) };
  const cadenceMs = nextObservationMs(stateWithCourse(course), cadence, at);
  return { ...data, ...omitUndefined({ course }), cadenceMs, lease: extendLease(lease, at, cadenceMs) };
}

function buildObservation(state: RunState, poll: Poll, alarms: readonly ActiveAlarm[]): EventDataByType['observed'] {
  const { job, log, otherJobs = [] } = poll;
  const { recent } = log.training.replay;
  const course = updateCourse(state, poll);
  return omitUndefined({
    attempt: state.submission?.attempt ?? 0,
    status: job.kind === 'found' ? job.status : 'UNKNOWN',
    message: redactAndTruncate(poll, jobMessage(job)),
    step: log.step?.value ?? null,
    stepIsExact: log.step?.exact ?? false,
    totalSteps: log.exactTotal,
    loss: log.loss,
    firstStepCompleted: log.firstStepCompleted,
    trackers: listTrackerRuns(poll),
    evals: cleanMetricNames(poll, log.evals),
    checkpointStep: log.checkpointStep,
    signatures: log.failures.map((failure) => failure.id),
    logOffset: poll.logOffset,
    otherJobs:
      otherJobs.length === 0
        ? undefined
        : otherJobs.map((one) => ({ ...one, jobId: redactAndTruncate(poll, one.jobId) })),
    openLog: toOpenLog(log),
    unread: updateUnread(state, poll),
    standstill: detectStandstill(state, poll),
    pace: measurePace(state, poll),
    losses: recent.length === 0 ? undefined : thinEvenly(recent, LOSSES_MAX),
    course: Object.keys(course).length === 0 ? undefined : course,
    resumedFrom: findResumedFrom(poll),
    alarms: alarms.length === 0 ? undefined : alarms.map(({ id }) => id),
    tracker: buildTrackerSeen(state, poll),
    store: buildStoreSeen(state, poll),
    cadenceMs: 0,
    lease: poll.lease,
  });
}

/** The checkpoint lineage compares this value with paths, so omit a withheld one. */
function findResumedFrom(poll: Poll): string | undefined {
  const { resumedFrom } = poll.log;
  const path = resumedFrom === null ? null : redactAndTruncateLine(poll, resumedFrom);
  return path === null || isWithheld(path) ? undefined : path;
}

/**
 * Tracker links in the log, plus the tracker's own link if the log lacks that run. The job controls a link like any log line, so a part
 * that a person wrote may be a secret. Omit a withheld link: the next observation compares the recorded ones with the approved run.
 */
function listTrackerRuns({ log, tracker, redact }: Poll): readonly TrackerRun[] {
  const logged = log.trackers
    .map(({ id, url }) => ({ id: redact(id), url: redact(url) }))
    .filter(({ id }) => !isWithheld(id));
  if (tracker?.answer.kind !== 'found') return logged;
  const own = { id: redact(tracker.answer.run.identity), url: redact(tracker.answer.run.url) };
  const isThere = logged.some(({ id, url }) => url === own.url || id === own.id);
  return isThere || isWithheld(own.id) ? logged : [own, ...logged];
}

/** Only the engine's terminal status ends a job, never a step count (policy ML-12). */
function buildEnd(state: RunState, poll: Poll): readonly EventDraft[] {
  const { job, log } = poll;
  if (job.kind !== 'found' || state.submission === null) return [];
  // rules ML-05, ML-12
  if (job.status !== 'SUCCEEDED' && job.status !== 'FAILED' && job.status !== 'STOPPED') return [];
  const details = Object.entries(job.details).map(([name, value]) => [name, redactAndTruncate(poll, value)] as const);
  const data: EventDataByType['ended'] = omitUndefined({
    attempt: state.submission.attempt,
    status: job.status,
    message: redactAndTruncate(poll, job.message),
    errorType: job.errorType === null ? null : redactAndTruncate(poll, job.errorType),
    exitCode: job.exitCode,
    engineDetails: details.length === 0 ? undefined : Object.fromEntries(details),
    startedAt: formatMoment(job.startedAtMs),
    endedAt: formatMoment(job.endedAtMs),
    lastStep: lastStepFromMetrics(poll.metrics, log),
    totalSteps: log.exactTotal,
    metrics: cleanMetricNames(poll, poll.metrics),
    trackers: listTrackerRuns(poll),
    signatures: log.failures.map((failure) => failure.id),
    checkpointStep: log.checkpointStep,
    diagnosis: cleanDiagnosis(poll),
    fence: poll.lease.fence,
  });
  return [{ type: 'ended', role: 'watch', data }];
}

/** The job controls the names of its metrics, like its log. Omit withheld names. */
function cleanMetricNames(poll: Poll, measured: Metrics): Metrics {
  return Object.fromEntries(
    Object.entries(measured)
      .map(([name, value]) => [redactAndTruncate(poll, name), value] as const)
      .filter(([name]) => !isWithheld(name)),
  );
}

/** The tracker's `global_step` is exact; a bar's step only if the bar did not round it. */
function lastStepFromMetrics(metrics: Metrics, log: LogFacts): number | null {
  const tracked = Number(metrics['global_step'] ?? Number.NaN);
  if (Number.isSafeInteger(tracked)) return tracked;
  return log.step?.exact === true ? log.step.value : null;
}

function cleanDiagnosis(poll: Poll): EventDataByType['ended']['diagnosis'] {
  const { diagnosis } = poll;
  if (diagnosis === null) return undefined;
  const { class: kind, confidence, response, traceback, evidence } = diagnosis;
  const cleanText = (said: string): string => redactAndTruncateLine(poll, said.trim());
  return omitUndefined({
    class: kind,
    confidence,
    response,
    // rule ML-25
    place: traceback === null ? null : { file: cleanText(traceback.file), line: traceback.line },
    error: traceback === null ? null : cleanText(traceback.message),
    evidence: evidence.slice(0, DIAGNOSIS_LINES_MAX).map((one) => cleanText(one.text)),
    logEnd: poll.logEnd === undefined ? undefined : redactAndTruncateEnd(poll),
  });
}

function formatMoment(ms: number | null): string | null {
  const at = ms === null ? null : instantFromMs(ms);
  return at === null ? null : toRfc3339(at);
}

/**
 * Drops failures in the log that a success followed, such as tracebacks of a shutdown, or that training continued after. Keeps a NaN loss,
 * because training continues with one too, and all failures that earlier observations recorded.
 */
function finishFacts(log: LogFacts, job: JobObservation): LogFacts {
  if (job.kind !== 'found' || log.failures.length === 0) return log;
  const { status } = job;
  const [since] = log.training.latest.stepChangeLines;
  const isOver = ({ id, line, lastLineNumber }: SignatureMatch): boolean => {
    if (line === '' || id === LOSS_NOT_FINITE) return false;
    if (status === 'SUCCEEDED') return true;
    const isPassed = log.training.latest.stepChangeLines.length >= MOVED_AGAIN && lastLineNumber < (since ?? 0);
    return status === 'RUNNING' && isPassed;
  };
  const failures = log.failures.filter((one) => !isOver(one));
  return failures.length === log.failures.length ? log : { ...log, failures };
}

/** Ends the watch while the job continues. */
function buildWatchEnd(state: RunState, poll: Poll): readonly EventDraft[] {
  const { submission, watch } = state;
  if (submission === null || watch.plannedEnd === null || watch.ended !== null) return [];
  if (poll.job.kind === 'found' && isTerminal(poll.job.status)) return [];
  const cause = findReachedBound(watch.plannedEnd, poll);
  if (cause === null) return [];
  const data = { attempt: submission.attempt, cause, reason: null };
  return [{ type: 'watch-ended', role: 'watch', data }];
}

function findReachedBound(
  { step, time }: NonNullable<RunState['watch']['plannedEnd']>,
  { log, at }: Poll,
): WatchEndCause | null {
  // rule ML-16
  if (step !== null && log.step !== null && lowerBound(log.step) >= step) return 'step';
  return time !== null && at >= (fromRfc3339(time) ?? Number.POSITIVE_INFINITY) ? 'time' : null;
}

/** The lowest step that a rounded count can represent: the bar shows three digits. */
function lowerBound({ value, exact }: ShownCount): number {
  return exact || value < 1 ? value : value - 10 ** (Math.floor(Math.log10(value)) - 2) / 2;
}

/** State that the next observation needs in addition to the recorded facts; undefined if there is none. */
function toOpenLog({ evalRunning, skipping, origin, lines }: LogFacts): OpenLog | undefined {
  const linesAgo = origin === null ? 0 : lines - origin.lineNumber;
  const task = origin === null || linesAgo > limits.tracebackLinesMax ? null : { worker: origin.worker, linesAgo };
  if (task === null && !evalRunning && !skipping) return undefined;
  return { isEvalRunning: evalRunning, isLineSkipped: skipping, task };
}

/** Whether the job makes its steps. */
function isHealthy(state: RunState): boolean {
  return currentJobState(state) === 'stepping';
}
