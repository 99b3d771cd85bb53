/** Converts one poll of a job to events: an observation, its incidents, and the end. */

import { DETECTORS } from '../detectors/registry.ts';
import type { ShownCount } from '../diagnosis/training-line.ts';
import { isTerminal, type JobObservation } from '../domain/engine.ts';
import { LOSS_NOT_FINITE } from '../domain/failure-class.ts';
import { readIncident } from '../domain/incidents.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/define.ts';
import type { Course, Metrics, TrackerRun } from '../domain/logbook/events/job-events.ts';
import type { WatchEndCause } from '../domain/logbook/events/watch-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, momentOfMs, present, toRfc3339 } from '../domain/values.ts';
import { isWithheld, redactAndTruncateLine } from '../domain/written-secrets.ts';
import { isHealthy, nextLookMs, prolonged } from './cadence.ts';
import { courseOf, evidenceOf, openLogOf, paceAt } from './course.ts';
import type { LogFacts, SignatureMatch } from './log-facts.ts';
import { type Look, redactAndTruncate, redactAndTruncateEnd, saidOf } from './look.ts';
import { incidentsOf, type StandingAlarm, standstillOf, unreadOf } from './look-incidents.ts';
import { storeSeenOf, trackerSeenOf, withTrackedRow } from './tracker-and-stores.ts';
import { evenly } from './training.ts';

/** While one rank dies, others may print a step or two. */
const MOVED_AGAIN = 3;

/** Evidence lines kept with the end; more lines of one class add nothing. */
const DIAGNOSIS_LINES_MAX = 4;

/** The events of one poll, to be appended together. Without a usable answer from the engine, a job is UNKNOWN, never ended. */
export function eventsOf(state: RunState, seen: Look): readonly EventDraft[] {
  if (state.submission === null || state.end !== null) return [];
  const look = withTrackedRow(state, { ...seen, log: settled(seen.log, seen.job) });
  const evidence = evidenceOf(state, look);
  const alarms = DETECTORS.flatMap(({ id, judge }) => {
    const found = judge(evidence);
    return found.kind === 'alarm' && state.watch.ended === null ? [{ id, ...found }] : [];
  });
  const incidents = incidentsOf(state, look, alarms);
  const data = paced(state, look, observationOf(state, look, alarms), incidents);
  return [{ type: 'observed', role: 'watch', data }, ...incidents, ...watchEndOf(state, look), ...endOf(state, look)];
}

/** Adds the delay until the next observation, which depends on this one's findings, and a lease that outlasts the delay. */
function paced(
  state: RunState,
  { at, cadence, lease }: Look,
  data: EventDataByType['observed'],
  incidents: readonly EventDraft[],
): EventDataByType['observed'] {
  const moment = { at: toRfc3339(at), seq: state.head.seq + 1 };
  const told = incidents.flatMap((draft) =>
    draft.type === 'incident' ? [readIncident(draft.data, { ...moment, role: 'watch' })] : [],
  );
  const seen = (course: Course | undefined): RunState => ({
    ...state,
    head: { ...state.head, ...moment },
    observation: { ...data, ...present({ course }), ...moment },
    incidents: [...state.incidents, ...told],
  });
  const healthy = isHealthy(seen(data.course)) ? (state.observation?.course?.healthy ?? 0) + 1 : 0;
  const course =
    cadence.settleMs === null ? data.course : { ...data.course, healthy: Math.min(healthy, cadence.settleLooks) };
  const cadenceMs = nextLookMs(seen(course), cadence, at);
  return { ...data, ...present({ course }), cadenceMs, lease: prolonged(lease, at, cadenceMs) };
}

/** For the chart of the loss: a record of weeks has to stay small. */
const LOSSES_MAX = 12;

function observationOf(state: RunState, look: Look, alarms: readonly StandingAlarm[]): EventDataByType['observed'] {
  const { job, log, beside = [] } = look;
  const { recent } = log.training.replay;
  const course = courseOf(state, look);
  return present({
    attempt: state.submission?.attempt ?? 0,
    status: job.kind === 'found' ? job.status : 'UNKNOWN',
    message: redactAndTruncate(look, saidOf(job)),
    step: log.step?.value ?? null,
    stepIsExact: log.step?.exact ?? false,
    totalSteps: log.exactTotal,
    loss: log.loss,
    firstStepCompleted: log.firstStepCompleted,
    trackers: trackersOf(look),
    evals: namedClean(look, log.evals),
    checkpointStep: log.checkpointStep,
    signatures: log.failures.map((failure) => failure.id),
    logOffset: look.logOffset,
    beside:
      beside.length === 0 ? undefined : beside.map((one) => ({ ...one, jobId: redactAndTruncate(look, one.jobId) })),
    openLog: openLogOf(log),
    unread: unreadOf(state, look),
    standstill: standstillOf(state, look),
    pace: paceAt(state, look),
    losses: recent.length === 0 ? undefined : evenly(recent, LOSSES_MAX),
    course: Object.keys(course).length === 0 ? undefined : course,
    resumedFrom: resumedFromIn(look),
    alarms: alarms.length === 0 ? undefined : alarms.map(({ id }) => id),
    tracker: trackerSeenOf(state, look),
    store: storeSeenOf(state, look),
    cadenceMs: 0,
    lease: look.lease,
  });
}

/** The checkpoint lineage compares this value with paths, so omit a withheld one. */
function resumedFromIn(look: Look): string | undefined {
  const { resumedFrom } = look.log;
  const path = resumedFrom === null ? null : redactAndTruncateLine(look, resumedFrom);
  return path === null || isWithheld(path) ? undefined : path;
}

/**
 * Tracker links in the log, plus the tracker's own link if the log lacks that run. The job controls a link like any log line, so a part
 * that a person wrote may be a secret. Omit a withheld link: the next observation compares the recorded ones with the approved run.
 */
function trackersOf({ log, tracker, redact }: Look): readonly TrackerRun[] {
  const logged = log.trackers
    .map(({ id, url }) => ({ id: redact(id), url: redact(url) }))
    .filter(({ id }) => !isWithheld(id));
  if (tracker?.answer.kind !== 'found') return logged;
  const own = { id: redact(tracker.answer.run.identity), url: redact(tracker.answer.run.url) };
  const isThere = logged.some(({ id, url }) => url === own.url || id === own.id);
  return isThere || isWithheld(own.id) ? logged : [own, ...logged];
}

/** Only the engine's terminal status ends a job, never a step count (policy ML-12). */
function endOf(state: RunState, look: Look): readonly EventDraft[] {
  const { job, log } = look;
  if (job.kind !== 'found' || state.submission === null) return [];
  // rules ML-05, ML-12
  if (job.status !== 'SUCCEEDED' && job.status !== 'FAILED' && job.status !== 'STOPPED') return [];
  const details = Object.entries(job.details).map(([name, value]) => [name, redactAndTruncate(look, value)] as const);
  const data: EventDataByType['ended'] = present({
    attempt: state.submission.attempt,
    status: job.status,
    message: redactAndTruncate(look, job.message),
    errorType: job.errorType === null ? null : redactAndTruncate(look, job.errorType),
    exitCode: job.exitCode,
    engineDetails: details.length === 0 ? undefined : Object.fromEntries(details),
    startedAt: moment(job.startedAtMs),
    endedAt: moment(job.endedAtMs),
    lastStep: lastStepOf(look.metrics, log),
    totalSteps: log.exactTotal,
    metrics: namedClean(look, look.metrics),
    trackers: trackersOf(look),
    signatures: log.failures.map((failure) => failure.id),
    checkpointStep: log.checkpointStep,
    diagnosis: diagnosisOf(look),
    fence: look.lease.fence,
  });
  return [{ type: 'ended', role: 'watch', data }];
}

/** The job controls the names of its metrics, like its log. Omit withheld names. */
function namedClean(look: Look, measured: Metrics): Metrics {
  return Object.fromEntries(
    Object.entries(measured)
      .map(([name, value]) => [redactAndTruncate(look, name), value] as const)
      .filter(([name]) => !isWithheld(name)),
  );
}

/** The tracker's `global_step` is exact; a bar's step only if the bar did not round it. */
function lastStepOf(metrics: Metrics, log: LogFacts): number | null {
  const tracked = Number(metrics['global_step'] ?? Number.NaN);
  if (Number.isSafeInteger(tracked)) return tracked;
  return log.step?.exact === true ? log.step.value : null;
}

function diagnosisOf(look: Look): EventDataByType['ended']['diagnosis'] {
  const { diagnosis } = look;
  if (diagnosis === null) return undefined;
  const { class: kind, confidence, response, traceback, evidence } = diagnosis;
  const clean = (said: string): string => redactAndTruncateLine(look, said.trim());
  return present({
    class: kind,
    confidence,
    response,
    // rule ML-25
    place: traceback === null ? null : { file: clean(traceback.file), line: traceback.line },
    error: traceback === null ? null : clean(traceback.message),
    evidence: evidence.slice(0, DIAGNOSIS_LINES_MAX).map((one) => clean(one.text)),
    logEnd: look.logEnd === undefined ? undefined : redactAndTruncateEnd(look),
  });
}

function moment(ms: number | null): string | null {
  const at = ms === null ? null : momentOfMs(ms);
  return at === null ? null : toRfc3339(at);
}

/**
 * Drops failures in the log that a success followed, such as tracebacks of a shutdown, or that training continued after. Keeps a NaN loss,
 * because training continues with one too, and all failures that earlier observations recorded.
 */
function settled(log: LogFacts, job: JobObservation): LogFacts {
  if (job.kind !== 'found' || log.failures.length === 0) return log;
  const { status } = job;
  const [since] = log.training.look.movedLines;
  const isOver = ({ id, line, lastLineNumber }: SignatureMatch): boolean => {
    if (line === '' || id === LOSS_NOT_FINITE) return false;
    if (status === 'SUCCEEDED') return true;
    const isPassed = log.training.look.movedLines.length >= MOVED_AGAIN && lastLineNumber < (since ?? 0);
    return status === 'RUNNING' && isPassed;
  };
  const failures = log.failures.filter((one) => !isOver(one));
  return failures.length === log.failures.length ? log : { ...log, failures };
}

/** Ends the watch while the job continues. */
function watchEndOf(state: RunState, look: Look): readonly EventDraft[] {
  const { submission, watch } = state;
  if (submission === null || watch.bound === null || watch.ended !== null) return [];
  if (look.job.kind === 'found' && isTerminal(look.job.status)) return [];
  const cause = reached(watch.bound, look);
  if (cause === null) return [];
  const data = { attempt: submission.attempt, cause, reason: null };
  return [{ type: 'watch-ended', role: 'watch', data }];
}

function reached({ step, time }: NonNullable<RunState['watch']['bound']>, { log, at }: Look): WatchEndCause | null {
  // rule ML-16
  if (step !== null && log.step !== null && atLeast(log.step) >= step) return 'step';
  return time !== null && at >= (fromRfc3339(time) ?? Number.POSITIVE_INFINITY) ? 'time' : null;
}

/** The lowest step that a rounded count can represent: the bar shows three digits. */
function atLeast({ value, exact }: ShownCount): number {
  return exact || value < 1 ? value : value - 10 ** (Math.floor(Math.log10(value)) - 2) / 2;
}
