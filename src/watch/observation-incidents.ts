/** Incidents of one observation that people need to see, each once per attempt. */

import type { AlarmFacts, Finding } from '../detectors/detector.ts';
import { findSignature } from '../diagnosis/rows.ts';
import { isTerminal } from '../domain/engine.ts';
import { type DetectorId, type FailureClass, FIRST_RESPONSE, isOutOfMemory } from '../domain/failure-class.ts';
import {
  filterIncidents,
  type IncidentCode,
  type IncidentFacts,
  type IncidentOf,
  incidentDraft,
} from '../domain/incidents.ts';
import { listReductionsTaken } from '../domain/launch/ladder.ts';
import { highestStep } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { Standstill, Unread } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { formatDuration, fromRfc3339, omitUndefined, toRfc3339 } from '../domain/values.ts';
import { redactAndTruncateLine } from '../domain/written-secrets.ts';
import { jobMessage, type Poll, redactAndTruncate } from './poll.ts';

/**
 * Counts consecutive observations at the same step; undefined once the job has moved or ended. An observation that could not read the job
 * neither extends nor ends the count.
 */
export function detectStandstill({ observation: last }: RunState, poll: Poll): Standstill | undefined {
  if (last === null || (poll.job.kind === 'found' && !isLiveStatus(poll.job.status))) return undefined;
  const before = last.standstill;
  if (poll.job.kind !== 'found' || poll.logUnread !== null) return before;
  const hasMoved = (poll.log.step?.value ?? null) !== last.step;
  // A count cannot start at an observation that could not read the job.
  if (hasMoved || (before === undefined && (!isLiveStatus(last.status) || last.unread !== undefined))) return undefined;
  return { since: before?.since ?? last.at, observations: (before?.observations ?? 0) + 1 };
}

/** Signature ids in this attempt's log that point to lost nodes or unavailable resources. */
function listClusterSigns({ log }: Poll): readonly string[] {
  return log.failures.flatMap(({ id }) => {
    const kind = findSignature(id)?.class;
    return kind === 'infra-cluster' || kind === 'capacity' ? [id] : [];
  });
}

function isLiveStatus(status: string): boolean {
  return status === 'RUNNING' || status === 'PENDING';
}

/**
 * What this observation could not read, since the first such observation in a row; undefined if it read both. An engine that reports the
 * job as absent did answer.
 */
export function updateUnread(state: RunState, poll: Poll): Unread | undefined {
  const now = findUnread(poll);
  if (now === null) return undefined;
  const last = state.observation?.unread;
  const since = last?.what === now.what ? last.since : toRfc3339(poll.at);
  return { what: now.what, since, why: redactAndTruncate(poll, now.why) };
}

function findUnread({ job, logUnread }: Poll): Pick<Unread, 'what' | 'why'> | null {
  if (job.kind === 'unknown') return { what: 'job', why: job.message };
  return job.kind === 'found' && logUnread !== null ? { what: 'log', why: logUnread } : null;
}

/** Observations at the same step before cluster messages in the log become an incident: the policy's *multiple* intervals. */
export const STANDSTILL_OBSERVATIONS_MIN = 2;
/** A job that still runs this long after its stop ignores the stop: grace period, kill and two observations take less. */
export const STOP_UNCONFIRMED_MS = 90_000;

export type ActiveAlarm = Extract<Finding, { readonly kind: 'alarm' }> & { readonly id: DetectorId };

/** The incidents of one observation that the record lacks. A relaunch is another job, so its incidents are recorded again. */
export function buildIncidents(state: RunState, poll: Poll, found: readonly ActiveAlarm[]): readonly EventDraft[] {
  const aboutItsEnd = [...reportLostState(state, poll), ...reportUnread(state, poll), ...reportUnstopped(state, poll)];
  // The watch of its health has ended. The lane stays occupied until the job's end can be observed.
  if (state.watch.ended !== null) return aboutItsEnd;
  return [
    ...reportNewSignatures(state, poll),
    ...aboutItsEnd,
    ...reportDegraded(state, poll),
    ...reportAlarms(state, poll, found),
    ...reportWithheld(state, poll),
    ...reportContinuing(state, poll),
  ];
}

/** On a rented machine, a recovery counts only when the new attempt passes the failed one's last step (policy VA-22). */
function reportContinuing(state: RunState, { log }: Poll): readonly EventDraft[] {
  const before = state.attempts.at(-1);
  const isRented = state.order?.manifest?.envelope.rental !== undefined;
  if (!isRented || before === undefined || before.end.status === 'SUCCEEDED' || log.step === null) return [];
  const beyond = highestStep(before);
  const step = log.step.value;
  // rule VA-22
  if (step <= (beyond ?? 0)) return [];
  const { attempt: earlier } = before.submission;
  const facts = { attempt: attemptNumber(state), step, earlier, ...(beyond === null ? {} : { beyond }) };
  return reportOnce(state, 'attempt-goes-on', facts);
}

/** Each signature is an incident once per attempt. While the job runs, a signature is evidence, not a verdict. */
function reportNewSignatures(state: RunState, poll: Poll): readonly EventDraft[] {
  return poll.log.failures.flatMap((failure) => {
    const kind = classForSignature(failure.id, poll);
    const facts = {
      signature: failure.id,
      class: kind,
      response: isOutOfMemory(kind) && isSmallerAttempt(state) ? ('reduce' as const) : FIRST_RESPONSE[kind],
      line: redactAndTruncateLine(poll, failure.line),
      ...(wasReportedBefore(state, failure.id) ? { again: 'yes' as const } : {}),
      ...(kind === 'bad-node' ? { workers: failure.workers.join(' ') } : {}),
    };
    // rule VA-16
    return reportOnce(state, 'failure-signature', facts, ({ signature }) => signature === failure.id);
  });
}

/** A small fix needs the diagnosis of the whole log: one file, and not in data loading (policy ML-28). */
function classForSignature(signature: string, { diagnosis }: Poll): FailureClass {
  const kind = findSignature(signature)?.class ?? 'unknown';
  // rule ML-28
  return kind === 'code-other' && diagnosis?.class === 'code-small' ? 'code-small' : kind;
}

/** Whether the manifest approves a config smaller than the current attempt's. */
function isSmallerAttempt(state: RunState): boolean {
  const { reductions = [] } = state.order?.manifest?.envelope ?? {};
  return reductions.length > listReductionsTaken(state).length;
}

/** Whether an earlier attempt showed the same signature, so the steps taken since did not help. */
function wasReportedBefore(state: RunState, signature: string): boolean {
  const attempt = attemptNumber(state);
  return filterIncidents(state.incidents, 'failure-signature').some(
    ({ detail }) => detail.signature === signature && (detail.attempt ?? 1) < attempt,
  );
}

/** A job without steps and with cluster messages in its log. Report each such period once, without delay (policy ML-21). */
function reportDegraded(state: RunState, poll: Poll): readonly EventDraft[] {
  const standstill = detectStandstill(state, poll);
  const signs = listClusterSigns(poll);
  // rule ML-21
  if (standstill === undefined || standstill.observations < STANDSTILL_OBSERVATIONS_MIN || signs.length === 0)
    return [];
  const { since, observations } = standstill;
  const step = poll.log.step === null ? 'none' : String(poll.log.step.value);
  const facts = { since, observations: String(observations), step, signatures: signs.join(' ') };
  return reportOnce(state, 'run-degraded', facts, (told) => told.since === since);
}

/** Alarms of the detectors, once per occasion and attempt. The record already has a NaN loss as a failure signature. */
function reportAlarms(state: RunState, poll: Poll, found: readonly ActiveAlarm[]): readonly EventDraft[] {
  return found.flatMap(({ id, since: occasion, facts }) => {
    if (id === 'nan') return [];
    // The occasion may contain a name chosen by the job.
    const since = redactAndTruncate(poll, occasion);
    const isSame = (told: { readonly detector: string; readonly since: string }): boolean =>
      told.detector === id && told.since === since;
    return reportOnce(state, 'run-alarm', { detector: id, since, ...cleanAlarmFacts(poll, facts) }, isSame);
  });
}

/** The observed value may be text from the job. */
function cleanAlarmFacts(poll: Poll, { seen, bound, step, minutes }: AlarmFacts): AlarmFacts {
  return omitUndefined({
    seen: redactAndTruncate(poll, seen),
    bound: bound === undefined ? undefined : redactAndTruncate(poll, bound),
    step,
    minutes,
  });
}

/** The engine no longer knows a job that existed: report it once per attempt. The job's end is unknown. */
function reportLostState(state: RunState, poll: Poll): readonly EventDraft[] {
  if (poll.job.kind !== 'absent' && poll.job.kind !== 'state-lost') return [];
  return reportOnce(state, 'engine-state-lost', { message: redactAndTruncate(poll, jobMessage(poll.job)) });
}

/** A process that lacks a job's secrets cannot redact its log and records none of it. A person can give the watch the secrets. */
function reportWithheld(state: RunState, poll: Poll): readonly EventDraft[] {
  return poll.withheld === undefined ? [] : reportOnce(state, 'log-withheld', poll.withheld);
}

/** The engine did not stop the job in time, such as a Ray job that is still PENDING: report it once. */
function reportUnstopped(state: RunState, { job }: Poll): readonly EventDraft[] {
  const since = fromRfc3339(state.stop?.at ?? '');
  const last = fromRfc3339(state.observation?.at ?? '');
  if (job.kind !== 'found' || isTerminal(job.status) || since === null || last === null) return [];
  if (last - since < STOP_UNCONFIRMED_MS) return [];
  return reportOnce(state, 'stop-unconfirmed', { message: `the job is still ${job.status}, minutes after the stop` });
}

/** Report each long period without readable job or log once. Draw no conclusions until it is readable again. */
function reportUnread(state: RunState, poll: Poll): readonly EventDraft[] {
  const unread = updateUnread(state, poll);
  if (unread === undefined) return [];
  const { what, since, why } = unread;
  const unreadMs = poll.at - (fromRfc3339(since) ?? poll.at);
  if (unreadMs < limits.engineUnreadMs) return [];
  const subject = what === 'job' ? 'the job' : "the job's log";
  const message = `${subject} could not be read for ${formatDuration(unreadMs)}: ${why}`;
  const facts = { message: redactAndTruncate(poll, message), since };
  return reportOnce(state, 'engine-unreadable', facts, (told) => told.since === since);
}

/** Incidents that an observation can record; each may carry its attempt. */
type WatchIncident = Extract<
  IncidentCode,
  | 'failure-signature'
  | 'run-degraded'
  | 'run-alarm'
  | 'engine-state-lost'
  | 'engine-unreadable'
  | 'log-withheld'
  | 'stop-unconfirmed'
  | 'attempt-goes-on'
>;

/** Records an incident unless this attempt has the same one. A first attempt is omitted, as before any restart. */
function reportOnce<Code extends WatchIncident>(
  state: RunState,
  code: Code,
  facts: IncidentFacts<Code>,
  isSame: (told: IncidentOf<Code>['detail']) => boolean = () => true,
): readonly EventDraft[] {
  const attempt = attemptNumber(state);
  const isOwn = ({ detail }: { readonly detail: { readonly attempt?: number | undefined } }): boolean =>
    (detail.attempt ?? 1) === attempt;
  const isTold = filterIncidents(state.incidents, code).some((one) => isOwn(one) && isSame(one.detail));
  return isTold ? [] : [incidentDraft('watch', code, attempt === 1 ? facts : { ...facts, attempt })];
}

function attemptNumber({ submission }: RunState): number {
  return submission?.attempt ?? 1;
}
