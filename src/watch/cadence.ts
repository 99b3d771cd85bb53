/**
 * When to look: a few times after a submission, then at a steady pace, and more often while something is wrong (policy ML-08,
 * HR-03). The numbers are a lane's, with those of its kind where it says nothing.
 */

import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { Lease } from '../domain/logbook/events/job-events.ts';
import { rentalTerms } from '../domain/logbook/holdings.ts';
import { jobStateOf } from '../domain/logbook/job-state.ts';
import { incidentsSinceTaken, type RunState } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339, type Instant, toRfc3339 } from '../domain/values.ts';

/** The watch looks for a stop this often, whatever its cadence: a stop reaches the engine within a minute. */
const STOP_LOOK_PERIOD_MS = 30_000;

export type Cadence = {
  /** How long after the submission of an attempt the first looks are. */
  readonly startupMs: number | readonly number[];
  /** After those, until so many looks in a row were well; null: at once as always. */
  readonly settleMs: number | null;
  readonly settleLooks: number;
  readonly pollMs: number;
  /** While something is wrong that nobody has taken. */
  readonly alertMs: number;
};

/** Two minutes after each submission and restart, then every 570 s (policy ML-08). */
export const USUAL_CADENCE: Cadence = {
  startupMs: 120_000,
  settleMs: null,
  settleLooks: 2,
  pollMs: 570_000,
  alertMs: 120_000,
};

/** The moment of the next check of a live run. A stop that was asked for is never waited with. */
export function nextCheckAt(state: RunState, cadence: Cadence, now: Instant): Instant {
  const { submission, observation, stop } = state;
  if (submission === null || stop !== null) return now;
  const observed = observation === null ? null : fromRfc3339(observation.at);
  const next =
    observation !== null && observed !== null
      ? after(observed, observation.cadenceMs)
      : // rule ML-08
        after(fromRfc3339(submission.at) ?? now, firstLookMs(cadence));
  return sooner(next, stoppingTime(state));
}

/** When a person wants the watch to end; null where it has ended, or ends at no time. */
function stoppingTime({ watch: { bound, ended } }: RunState): Instant | null {
  return ended !== null || bound === null || bound.time === null ? null : fromRfc3339(bound.time);
}

function sooner(next: Instant, other: Instant | null): Instant {
  return other !== null && other < next ? other : next;
}

/** How long after the submission somebody looks first. */
export function firstLookMs({ startupMs }: Cadence): number {
  return Math.min(...startsOf(startupMs));
}

/** At what pace a run is looked at by which nobody has looked yet. */
export function firstPaceMs(cadence: Cadence): number {
  return Math.max(firstLookMs(cadence), cadence.settleMs ?? cadence.pollMs);
}

/** How soon after a look the next one is; `state` has this look. */
export function nextLookMs(state: RunState, cadence: Cadence, now: Instant): number {
  const paceMs = Math.min(paceOf(state, cadence), witnessMs(state));
  const sinceMs = now - (fromRfc3339(state.submission?.at ?? '') ?? now);
  const start = startsOf(cadence.startupMs).find((ms) => ms > sinceMs);
  return start === undefined ? paceMs : Math.min(paceMs, start - sinceMs);
}

function paceOf(state: RunState, cadence: Cadence): number {
  return isAlert(state)
    ? Math.min(cadence.alertMs, cadence.pollMs)
    : isSettling(state, cadence)
      ? Math.min(cadence.settleMs ?? cadence.pollMs, cadence.pollMs)
      : cadence.pollMs;
}

/** Looks at a job in the time that its rented machine may idle. */
const WITNESSES = 3;

/**
 * A rented machine is destroyed where no step was seen to move for so long: whoever looks more seldom takes one that works for idle.
 * The account is looked at twice before that time is over, and has to know by then what the job does.
 */
function witnessMs(state: RunState): number {
  const terms = rentalTerms(state);
  if (terms === null) return Number.POSITIVE_INFINITY;
  return Math.max(limits.rentalAlertMs, (terms.idleMinutesMax * 60_000) / WITNESSES);
}

function startsOf(startupMs: Cadence['startupMs']): readonly number[] {
  return typeof startupMs === 'number' ? [startupMs] : startupMs.toSorted((a, b) => a - b);
}

function isSettling({ observation }: RunState, { settleMs, settleLooks }: Cadence): boolean {
  return settleMs !== null && (observation?.course?.healthy ?? 0) < settleLooks;
}

/** Whether the job makes its steps. */
export function isHealthy(state: RunState): boolean {
  return jobStateOf(state) === 'stepping';
}

/** Until it is well again, a person has taken what had happened until then, or the watch has ended. */
function isAlert(state: RunState): boolean {
  if (state.watch.ended !== null) return false;
  const job = jobStateOf(state);
  if (job !== 'degraded' && job !== 'unknown' && job !== 'state-lost') return false;
  return state.taken === null || incidentsSinceTaken(state).length > 0;
}

/** How often the logbook is looked at for a stop, whatever the cadence: never more seldom than every 30 s. */
export function stopLookPeriodMs(cadence: Cadence): number {
  return Math.min(STOP_LOOK_PERIOD_MS, firstLookMs(cadence), cadence.pollMs);
}

/** A run, and since when it is due. */
export type Due = { readonly state: RunState; readonly at: number };

/** Those that have waited longest, and before them those that are to stop: they are due in every turn. */
export function longestDue(due: readonly Due[]): readonly RunState[] {
  const stopping = due.filter(({ state }) => state.stop !== null);
  const others = due.filter(({ state }) => state.stop === null).toSorted((a, b) => a.at - b.at);
  return [...stopping, ...others].slice(0, limits.looksPerTurnMax).map(({ state }) => state);
}

/** The lease under which `holder` may write its next observation, or null while another one holds it. */
export function leaseFor(state: RunState, holder: string, now: Instant, cadenceMs: number): Lease | null {
  const current = state.observation?.lease ?? null;
  const until = toRfc3339(after(now, cadenceMs + limits.leaseSlackMs));
  if (current === null) return { holder, fence: state.fence + 1, until };
  if (current.holder === holder) return { holder, fence: current.fence, until };
  // rule ML-09
  const isOver = now >= (fromRfc3339(current.until) ?? 0);
  return isOver ? { holder, fence: current.fence + 1, until } : null;
}

/** The same lease until a while after the next look. */
export function prolonged(lease: Lease, now: Instant, cadenceMs: number): Lease {
  return { ...lease, until: toRfc3339(after(now, cadenceMs + limits.leaseSlackMs)) };
}

/** The same lease given back now, so that the next shift need not wait for it to run out. */
export function released(lease: Lease, now: Instant): Lease {
  // rules AG-06, AG-07, AG-11, AG-27
  return { ...lease, until: toRfc3339(now) };
}

/** The newest observation once more under a lease that is given back; null: it is not this holder's. */
export function handedOver(state: RunState, holder: string, now: Instant): EventDraft | null {
  const last = state.observation;
  if (state.end !== null || last === null || last.lease.holder !== holder) return null;
  const { at: _at, seq: _seq, ...data } = last;
  return { type: 'observed', role: 'watch', data: { ...data, lease: released(last.lease, now) } };
}
