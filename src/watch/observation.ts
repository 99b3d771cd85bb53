/** What a look at a job comes to as events: an observation, an incident for each new failure signature, and the end. */

import { isTerminal, type JobObservation } from '../domain/engine.ts';
import type { EventDataByType, EventDraft } from '../domain/event.ts';
import type { Lease, Metrics, TrackerRun } from '../domain/events/job-events.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/run-state.ts';
import { fromRfc3339, toRfc3339 } from '../domain/time.ts';
import type { LogFacts } from './log-facts.ts';
import { SIGNATURES } from './signatures.ts';

/** One look: what the engine said, what the log says by now, and where reading goes on. */
export type Look = {
  readonly job: JobObservation;
  readonly log: LogFacts;
  readonly logOffset: number;
  readonly metrics: Metrics;
  readonly lease: Lease;
  readonly cadenceMs: number;
  readonly redact: (text: string) => string;
};

/** The events of one look, to be appended together. An engine that gives no usable answer is UNKNOWN, never ended. */
export function eventsOf(state: RunState, look: Look): readonly EventDraft[] {
  if (state.submission === null || state.end !== null) return [];
  const observed: EventDraft = { type: 'observed', role: 'watch', data: observationOf(state, look) };
  return [
    observed,
    ...newSignatures(state, look),
    ...lostIncident(state, look),
    ...unstopped(state, look),
    ...endOf(state, look),
  ];
}

function observationOf(state: RunState, look: Look): EventDataByType['observed'] {
  const { job, log } = look;
  const isFound = job.kind === 'found';
  return {
    attempt: state.submission?.attempt ?? 0,
    status: isFound ? job.status : 'UNKNOWN',
    message: bounded(look, isFound ? job.message : messageOf(job)),
    step: log.step?.value ?? null,
    stepIsExact: log.step?.exact ?? false,
    totalSteps: log.exactTotal,
    loss: log.loss,
    firstStepCompleted: log.firstStepCompleted,
    trackers: trackersOf(look),
    evals: log.evals,
    checkpointStep: log.checkpointStep,
    signatures: log.failures.map((failure) => failure.id),
    logOffset: look.logOffset,
    cadenceMs: look.cadenceMs,
    lease: look.lease,
  };
}

/** A link is text of the job like any other line: what a person put into its address may be a secret. */
function trackersOf({ log, redact }: Look): readonly TrackerRun[] {
  return log.trackers.map(({ id, url }) => ({ id: redact(id), url: redact(url) }));
}

function messageOf(job: Exclude<JobObservation, { kind: 'found' }>): string {
  return job.kind === 'absent' ? 'the engine has no such job' : `${job.kind}: ${job.message}`;
}

/** Well-formed after the cut: half a character at its end would be refused by the canonical JSON. */
function bounded(look: Look, text: string): string {
  return look.redact(text).slice(0, limits.messageCharactersMax).toWellFormed();
}

/** Each signature is an incident once; a signature while the job runs is evidence and no verdict. */
function newSignatures(state: RunState, look: Look): readonly EventDraft[] {
  const attempt = state.submission?.attempt ?? 1;
  const told = new Set(
    state.incidents
      .filter((i) => i.code === 'failure-signature' && (i.detail['attempt'] ?? 1) === attempt)
      .map((i) => i.detail['signature']),
  );
  return look.log.failures
    .filter((failure) => !told.has(failure.id))
    .map((failure) => {
      const row = SIGNATURES.find((signature) => signature.id === failure.id);
      const detail = {
        signature: failure.id,
        class: row?.class ?? '',
        advice: row?.advice ?? '',
        line: bounded(look, failure.line),
        ...(attempt === 1 ? {} : { attempt }),
        ...(row?.advice === 'propose-node' ? { workers: failure.workers.join(' ') } : {}),
      };
      return { type: 'incident', role: 'watch', data: { code: 'failure-signature', detail } } as const;
    });
}

/** A job that was there and that the engine does not know any more: said once; how it ended nobody knows. */
function lostIncident(state: RunState, look: Look): readonly EventDraft[] {
  if (look.job.kind !== 'absent' && look.job.kind !== 'state-lost') return [];
  if (state.incidents.some((incident) => incident.code === 'engine-state-lost')) return [];
  return [
    {
      type: 'incident',
      role: 'watch',
      data: { code: 'engine-state-lost', detail: { message: bounded(look, messageOf(look.job)) } },
    },
  ];
}

/** A stop that the engine does not heed, such as one of a Ray job that is still PENDING: said once, when it had its time. */
function unstopped(state: RunState, { job }: Look): readonly EventDraft[] {
  const since = fromRfc3339(state.stop?.at ?? '');
  const last = fromRfc3339(state.observation?.at ?? '');
  if (job.kind !== 'found' || isTerminal(job.status) || since === null || last === null) return [];
  if (last - since < limits.stopUnheardMs || state.incidents.some(({ code }) => code === 'stop-unconfirmed'))
    return [];
  const message = `the job is still ${job.status}, minutes after the stop`;
  return [{ type: 'incident', role: 'watch', data: { code: 'stop-unconfirmed', detail: { message } } }];
}

/** The end is the engine's terminal status and nothing else: never a step count (policy/job-monitoring-loop.md, step 3). */
function endOf(state: RunState, look: Look): readonly EventDraft[] {
  const { job, log } = look;
  if (job.kind !== 'found' || state.submission === null) return [];
  if (job.status !== 'SUCCEEDED' && job.status !== 'FAILED' && job.status !== 'STOPPED') return [];
  const data: EventDataByType['ended'] = {
    attempt: state.submission.attempt,
    status: job.status,
    message: bounded(look, job.message),
    errorType: job.errorType,
    exitCode: job.exitCode,
    ...detailsOf(look, job.details),
    startedAt: moment(job.startedAtMs),
    endedAt: moment(job.endedAtMs),
    lastStep: lastStepOf(look.metrics, log),
    totalSteps: log.exactTotal,
    metrics: look.metrics,
    trackers: trackersOf(look),
    signatures: log.failures.map((failure) => failure.id),
    checkpointStep: log.checkpointStep,
    fence: look.lease.fence,
  };
  return [{ type: 'ended', role: 'watch', data }];
}

/** `global_step` of the tracker is exact; the bar is only where it needed no rounding (reference levanter, progress line). */
function lastStepOf(metrics: Metrics, log: LogFacts): number | null {
  const tracked = Number(metrics['global_step'] ?? Number.NaN);
  if (Number.isSafeInteger(tracked)) return tracked;
  return log.step?.exact === true ? log.step.value : null;
}

/** Left out where the engine said nothing more, so that such an entry is the one that it always was. */
function detailsOf(
  look: Look,
  details: Readonly<Record<string, string>>,
): Pick<EventDataByType['ended'], 'engineDetails'> {
  const entries = Object.entries(details).map(([name, value]) => [name, bounded(look, value)] as const);
  return entries.length === 0 ? {} : { engineDetails: Object.fromEntries(entries) };
}

function moment(ms: number | null): string | null {
  return ms === null ? null : toRfc3339(Math.trunc(ms) as Instant);
}
