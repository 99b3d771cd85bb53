/** Incidents of one observation that people need to see, each once per attempt. */

import type { AlarmFacts, Finding } from '../detectors/detector.ts';
import { signatureNamed } from '../diagnosis/rows.ts';
import { isTerminal } from '../domain/engine.ts';
import { type DetectorId, type FailureClass, FIRST_RESPONSE, isOutOfMemory } from '../domain/failure-class.ts';
import { duration } from '../domain/figures.ts';
import {
  type IncidentCode,
  type IncidentFacts,
  type IncidentOf,
  incidentDraft,
  incidentsWith,
} from '../domain/incidents.ts';
import { reductionsTaken } from '../domain/launch/ladder.ts';
import { reachedStep } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { Standstill, Unread } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, present, toRfc3339 } from '../domain/values.ts';
import { redactAndTruncateLine } from '../domain/written-secrets.ts';
import { type Look, redactAndTruncate, saidOf } from './look.ts';

/**
 * Counts consecutive observations at the same step; undefined once the job has moved or ended. An observation that could not read the job
 * neither extends nor ends the count.
 */
export function standstillOf({ observation: last }: RunState, look: Look): Standstill | undefined {
  if (last === null || (look.job.kind === 'found' && !isLive(look.job.status))) return undefined;
  const before = last.standstill;
  if (look.job.kind !== 'found' || look.logUnread !== null) return before;
  const hasMoved = (look.log.step?.value ?? null) !== last.step;
  // A count cannot start at an observation that could not read the job.
  if (hasMoved || (before === undefined && (!isLive(last.status) || last.unread !== undefined))) return undefined;
  return { since: before?.since ?? last.at, looks: (before?.looks ?? 0) + 1 };
}

/** Signature ids in this attempt's log that point to lost nodes or unavailable resources. */
function clusterSigns({ log }: Look): readonly string[] {
  return log.failures.flatMap(({ id }) => {
    const kind = signatureNamed(id)?.class;
    return kind === 'infra-cluster' || kind === 'capacity' ? [id] : [];
  });
}

function isLive(status: string): boolean {
  return status === 'RUNNING' || status === 'PENDING';
}

/**
 * What this observation could not read, since the first such observation in a row; undefined if it read both. An engine that reports the
 * job as absent did answer.
 */
export function unreadOf(state: RunState, look: Look): Unread | undefined {
  const now = unreadNow(look);
  if (now === null) return undefined;
  const last = state.observation?.unread;
  const since = last?.what === now.what ? last.since : toRfc3339(look.at);
  return { what: now.what, since, why: redactAndTruncate(look, now.why) };
}

function unreadNow({ job, logUnread }: Look): Pick<Unread, 'what' | 'why'> | null {
  if (job.kind === 'unknown') return { what: 'job', why: job.message };
  return job.kind === 'found' && logUnread !== null ? { what: 'log', why: logUnread } : null;
}

/** Observations at the same step before cluster messages in the log become an incident: the policy's *multiple* intervals. */
export const STANDSTILL_LOOKS_MIN = 2;
/** A job that still runs this long after its stop ignores the stop: grace period, kill and two observations take less. */
export const STOP_UNHEARD_MS = 90_000;

/** An alarm that a detector raises at this observation. */
export type StandingAlarm = Extract<Finding, { readonly kind: 'alarm' }> & { readonly id: DetectorId };

/** The incidents of one observation that the record lacks. A relaunch is another job, so its incidents are recorded again. */
export function incidentsOf(state: RunState, look: Look, found: readonly StandingAlarm[]): readonly EventDraft[] {
  const aboutItsEnd = [...lostIncident(state, look), ...unreadIncident(state, look), ...unstopped(state, look)];
  // The watch of its health has ended. The lane stays occupied until the job's end can be observed.
  if (state.watch.ended !== null) return aboutItsEnd;
  return [
    ...newSignatures(state, look),
    ...aboutItsEnd,
    ...degraded(state, look),
    ...alarms(state, look, found),
    ...withheld(state, look),
    ...goesOn(state, look),
  ];
}

/** On a rented machine, a recovery counts only when the new attempt passes the failed one's last step (policy VA-22). */
function goesOn(state: RunState, { log }: Look): readonly EventDraft[] {
  const before = state.attempts.at(-1);
  const isRented = state.order?.manifest?.envelope.rental !== undefined;
  if (!isRented || before === undefined || before.end.status === 'SUCCEEDED' || log.step === null) return [];
  const beyond = reachedStep(before);
  const step = log.step.value;
  // rule VA-22
  if (step <= (beyond ?? 0)) return [];
  const { attempt: earlier } = before.submission;
  const facts = { attempt: attemptOf(state), step, earlier, ...(beyond === null ? {} : { beyond }) };
  return once(state, 'attempt-goes-on', facts);
}

/** Each signature is an incident once per attempt. While the job runs, a signature is evidence, not a verdict. */
function newSignatures(state: RunState, look: Look): readonly EventDraft[] {
  return look.log.failures.flatMap((failure) => {
    const kind = classOf(failure.id, look);
    const facts = {
      signature: failure.id,
      class: kind,
      response: isOutOfMemory(kind) && hasSmaller(state) ? ('reduce' as const) : FIRST_RESPONSE[kind],
      line: redactAndTruncateLine(look, failure.line),
      ...(wasShownBefore(state, failure.id) ? { again: 'yes' as const } : {}),
      ...(kind === 'bad-node' ? { workers: failure.workers.join(' ') } : {}),
    };
    // rule VA-16
    return once(state, 'failure-signature', facts, ({ signature }) => signature === failure.id);
  });
}

/** A small fix needs the diagnosis of the whole log: one file, and not in data loading (policy ML-28). */
function classOf(signature: string, { diagnosis }: Look): FailureClass {
  const kind = signatureNamed(signature)?.class ?? 'unknown';
  // rule ML-28
  return kind === 'code-other' && diagnosis?.class === 'code-small' ? 'code-small' : kind;
}

/** Whether the manifest approves a config smaller than the current attempt's. */
function hasSmaller(state: RunState): boolean {
  const { reductions = [] } = state.order?.manifest?.envelope ?? {};
  return reductions.length > reductionsTaken(state).length;
}

/** Whether an earlier attempt showed the same signature, so the steps taken since did not help. */
function wasShownBefore(state: RunState, signature: string): boolean {
  const attempt = attemptOf(state);
  return incidentsWith(state.incidents, 'failure-signature').some(
    ({ detail }) => detail.signature === signature && (detail.attempt ?? 1) < attempt,
  );
}

/** A job without steps and with cluster messages in its log. Report each such period once, without delay (policy ML-21). */
function degraded(state: RunState, look: Look): readonly EventDraft[] {
  const standstill = standstillOf(state, look);
  const signs = clusterSigns(look);
  // rule ML-21
  if (standstill === undefined || standstill.looks < STANDSTILL_LOOKS_MIN || signs.length === 0) return [];
  const { since, looks } = standstill;
  const step = look.log.step === null ? 'none' : String(look.log.step.value);
  const facts = { since, looks: String(looks), step, signatures: signs.join(' ') };
  return once(state, 'run-degraded', facts, (told) => told.since === since);
}

/** Alarms of the detectors, once per occasion and attempt. The record already has a NaN loss as a failure signature. */
function alarms(state: RunState, look: Look, found: readonly StandingAlarm[]): readonly EventDraft[] {
  return found.flatMap(({ id, since: occasion, facts }) => {
    if (id === 'nan') return [];
    // The occasion may contain a name chosen by the job.
    const since = redactAndTruncate(look, occasion);
    const isSame = (told: { readonly detector: string; readonly since: string }): boolean =>
      told.detector === id && told.since === since;
    return once(state, 'run-alarm', { detector: id, since, ...cleaned(look, facts) }, isSame);
  });
}

/** The observed value may be text from the job. */
function cleaned(look: Look, { seen, bound, step, minutes }: AlarmFacts): AlarmFacts {
  return present({
    seen: redactAndTruncate(look, seen),
    bound: bound === undefined ? undefined : redactAndTruncate(look, bound),
    step,
    minutes,
  });
}

/** The engine no longer knows a job that existed: report it once per attempt. The job's end is unknown. */
function lostIncident(state: RunState, look: Look): readonly EventDraft[] {
  if (look.job.kind !== 'absent' && look.job.kind !== 'state-lost') return [];
  return once(state, 'engine-state-lost', { message: redactAndTruncate(look, saidOf(look.job)) });
}

/** A process that lacks a job's secrets cannot redact its log and records none of it. A person can give the watch the secrets. */
function withheld(state: RunState, look: Look): readonly EventDraft[] {
  return look.withheld === undefined ? [] : once(state, 'log-withheld', look.withheld);
}

/** The engine did not stop the job in time, such as a Ray job that is still PENDING: report it once. */
function unstopped(state: RunState, { job }: Look): readonly EventDraft[] {
  const since = fromRfc3339(state.stop?.at ?? '');
  const last = fromRfc3339(state.observation?.at ?? '');
  if (job.kind !== 'found' || isTerminal(job.status) || since === null || last === null) return [];
  if (last - since < STOP_UNHEARD_MS) return [];
  return once(state, 'stop-unconfirmed', {
    message: `the job is still ${job.status}, minutes after the stop`,
  });
}

/** Report each long period without readable job or log once. Draw no conclusions until it is readable again. */
function unreadIncident(state: RunState, look: Look): readonly EventDraft[] {
  const unread = unreadOf(state, look);
  if (unread === undefined) return [];
  const { what, since, why } = unread;
  const unreadMs = look.at - (fromRfc3339(since) ?? look.at);
  if (unreadMs < limits.engineUnreadMs) return [];
  const subject = what === 'job' ? 'the job' : "the job's log";
  const message = `${subject} could not be read for ${duration(unreadMs)}: ${why}`;
  const facts = { message: redactAndTruncate(look, message), since };
  return once(state, 'engine-unreadable', facts, (told) => told.since === since);
}

/** Incidents that an observation can record; each may carry its attempt. */
type LookIncident = Extract<
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
function once<Code extends LookIncident>(
  state: RunState,
  code: Code,
  facts: IncidentFacts<Code>,
  isSame: (told: IncidentOf<Code>['detail']) => boolean = () => true,
): readonly EventDraft[] {
  const attempt = attemptOf(state);
  const isOwn = ({ detail }: { readonly detail: { readonly attempt?: number | undefined } }): boolean =>
    (detail.attempt ?? 1) === attempt;
  const isTold = incidentsWith(state.incidents, code).some((one) => isOwn(one) && isSame(one.detail));
  return isTold ? [] : [incidentDraft('watch', code, attempt === 1 ? facts : { ...facts, attempt })];
}

function attemptOf({ submission }: RunState): number {
  return submission?.attempt ?? 1;
}
