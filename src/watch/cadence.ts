/**
 * When to poll a job: a few times after its submission, then at a steady interval, and more often after a problem (policy ML-08, HR-03). A
 * lane sets the numbers; the defaults of its kind fill the gaps.
 */

import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { Lease } from '../domain/logbook/events/job-events.ts';
import { rentalTerms } from '../domain/logbook/holdings.ts';
import { currentJobState } from '../domain/logbook/job-state.ts';
import { listIncidentsSinceAck, type RunState } from '../domain/logbook/run-state.ts';
import { addMs, fromRfc3339, type Instant, toRfc3339 } from '../domain/values.ts';

/** Milliseconds between checks for a stop, at any cadence, so that a stop reaches the engine within a minute. */
const STOP_LOOK_PERIOD_MS = 30_000;

export type Cadence = {
  /** Delays of the first observations after the submission of an attempt. */
  readonly startupMs: number | readonly number[];
  /** The interval after those, until `settleObservations` observations in a row are healthy; null: use `pollMs` right away. */
  readonly settleMs: number | null;
  readonly settleObservations: number;
  readonly pollMs: number;
  /** The interval during a problem that no person has taken over. */
  readonly alertMs: number;
};

/** Two minutes after each submission and restart, then every 570 s (policy ML-08). */
export const USUAL_CADENCE: Cadence = {
  startupMs: 120_000,
  settleMs: null,
  settleObservations: 2,
  pollMs: 570_000,
  alertMs: 120_000,
};

/** The time of a live run's next check. A requested stop is due immediately. */
export function nextCheckAt(state: RunState, cadence: Cadence, now: Instant): Instant {
  const { submission, observation, stop } = state;
  if (submission === null || stop !== null) return now;
  const observed = observation === null ? null : fromRfc3339(observation.at);
  const next =
    observation !== null && observed !== null
      ? addMs(observed, observation.cadenceMs)
      : // rule ML-08
        addMs(fromRfc3339(submission.at) ?? now, firstObservationMs(cadence));
  return earlierInstant(next, findStoppingTime(state));
}

/** The time at which a person wants the watch to end; null if it has ended or has no time limit. */
function findStoppingTime({ watch: { plannedEnd, ended } }: RunState): Instant | null {
  return ended !== null || plannedEnd === null || plannedEnd.time === null ? null : fromRfc3339(plannedEnd.time);
}

function earlierInstant(next: Instant, other: Instant | null): Instant {
  return other !== null && other < next ? other : next;
}

/** The delay from the submission to the first observation. */
export function firstObservationMs({ startupMs }: Cadence): number {
  return Math.min(...startupTimes(startupMs));
}

/** The expected interval for a run without any observation yet. */
export function firstPaceMs(cadence: Cadence): number {
  return Math.max(firstObservationMs(cadence), cadence.settleMs ?? cadence.pollMs);
}

/** The delay until the next observation; `state` includes the current one. */
export function nextObservationMs(state: RunState, cadence: Cadence, now: Instant): number {
  const paceMs = Math.min(currentPace(state, cadence), witnessPeriodMs(state));
  const sinceMs = now - (fromRfc3339(state.submission?.at ?? '') ?? now);
  const start = startupTimes(cadence.startupMs).find((ms) => ms > sinceMs);
  return start === undefined ? paceMs : Math.min(paceMs, start - sinceMs);
}

function currentPace(state: RunState, cadence: Cadence): number {
  return isAlerting(state)
    ? Math.min(cadence.alertMs, cadence.pollMs)
    : isSettlingIn(state, cadence)
      ? Math.min(cadence.settleMs ?? cadence.pollMs, cadence.pollMs)
      : cadence.pollMs;
}

/** Observations of a job within the time that its rented machine may idle. */
const WITNESSES = 3;

/**
 * ferrybot destroys a rented machine if no observation saw a step move for that long, so rarer polls would make a working one seem idle.
 * ferrybot checks the account twice within that time and needs a current job status by then.
 */
function witnessPeriodMs(state: RunState): number {
  const terms = rentalTerms(state);
  if (terms === null) return Number.POSITIVE_INFINITY;
  return Math.max(limits.rentalAlertMs, (terms.idleMinutesMax * 60_000) / WITNESSES);
}

function startupTimes(startupMs: Cadence['startupMs']): readonly number[] {
  return typeof startupMs === 'number' ? [startupMs] : startupMs.toSorted((a, b) => a - b);
}

function isSettlingIn({ observation }: RunState, { settleMs, settleObservations }: Cadence): boolean {
  return settleMs !== null && (observation?.course?.healthy ?? 0) < settleObservations;
}

/** Whether a problem is open: until the job recovers, a person takes over all incidents so far, or the watch ends. */
function isAlerting(state: RunState): boolean {
  if (state.watch.ended !== null) return false;
  const job = currentJobState(state);
  if (job !== 'degraded' && job !== 'unknown' && job !== 'state-lost') return false;
  return state.taken === null || listIncidentsSinceAck(state).length > 0;
}

/** The interval between checks of the logbook for a stop: at most 30 s, at any cadence. */
export function stopPollPeriodMs(cadence: Cadence): number {
  return Math.min(STOP_LOOK_PERIOD_MS, firstObservationMs(cadence), cadence.pollMs);
}

export type Due = { readonly state: RunState; readonly at: number };

/** The runs with a requested stop, which are always due, then those that waited longest. */
export function sortByDue(due: readonly Due[]): readonly RunState[] {
  const stopping = due.filter(({ state }) => state.stop !== null);
  const others = due.filter(({ state }) => state.stop === null).toSorted((a, b) => a.at - b.at);
  return [...stopping, ...others].slice(0, limits.looksPerTurnMax).map(({ state }) => state);
}

/** The lease under which `holder` may write its next observation; null while another holder has it. */
export function takeLease(state: RunState, holder: string, now: Instant, cadenceMs: number): Lease | null {
  const current = state.observation?.lease ?? null;
  const until = toRfc3339(addMs(now, cadenceMs + limits.leaseSlackMs));
  if (current === null) return { holder, fence: state.fence + 1, until };
  if (current.holder === holder) return { holder, fence: current.fence, until };
  // rule ML-09
  const isOver = now >= (fromRfc3339(current.until) ?? 0);
  return isOver ? { holder, fence: current.fence + 1, until } : null;
}

/** The same lease, extended until some time after the next observation. */
export function extendLease(lease: Lease, now: Instant, cadenceMs: number): Lease {
  return { ...lease, until: toRfc3339(addMs(now, cadenceMs + limits.leaseSlackMs)) };
}

/** The state in which the lease of the newest observation has ended. */
export function endLease(state: RunState, now: Instant): RunState {
  const { observation } = state;
  return observation === null
    ? state
    : { ...state, observation: { ...observation, lease: releaseLease(observation.lease, now) } };
}

/** The same lease, released now, so that the next shift need not wait until it expires. */
export function releaseLease(lease: Lease, now: Instant): Lease {
  // rules AG-06, AG-07, AG-11, AG-27
  return { ...lease, until: toRfc3339(now) };
}

/** Repeats the newest observation with a released lease; null if `holder` does not have the lease. */
export function buildHandOver(state: RunState, holder: string, now: Instant): EventDraft | null {
  const last = state.observation;
  if (state.end !== null || last === null || last.lease.holder !== holder) return null;
  const { at: _at, seq: _seq, ...data } = last;
  return { type: 'observed', role: 'watch', data: { ...data, lease: releaseLease(last.lease, now) } };
}
