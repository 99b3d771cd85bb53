/** Whether somebody still watches a live run, told apart from how the run is (policy HR-39). */

import { type Dispatch, dispatchesFor } from '../domain/dispatch.ts';
import type { Instant } from '../domain/ids.ts';
import { incidentsWith } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import { silenceAllowedMs } from '../domain/logbook/job-state.ts';
import { watchedClusters } from '../domain/logbook/liveness.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { type Cadence, firstPaceMs } from './cadence.ts';

/** Watches that are started for one silence; a machine that is away does not come back by more of them. */
export const WATCH_RESTARTS_MAX = 3;
/** A watch that was dispatched has got a machine and looked by then. */
const WATCH_START_MS = 10 * 60 * 1_000;

/** `since`: sequence number of the last sign of a watch, which names the silence; `silentMs` counts from there. */
export type MonitorHealth =
  | { readonly kind: 'none' }
  | { readonly kind: 'fresh' | 'stale'; readonly since: number; readonly silentMs: number };

/**
 * Stale = nothing recorded for twice as long as the newest look wanted to wait, and for longer than a lease lasts: a watch that is only late still holds it.
 * Says nothing about the run: a healthy job may have a dead monitor.
 */
export function monitorHealth(state: RunState, cadence: Cadence, now: Instant): MonitorHealth {
  const { submission, observation } = state;
  if (submission === null || watchedClusters(state).length === 0) return { kind: 'none' };
  // Once the job has ended, it is the machines that somebody looks after.
  const last =
    state.end === null ? (observation ?? submission) : (state.rental.look ?? observation ?? submission);
  const silentMs = now - (fromRfc3339(last.at) ?? 0);
  const allowedMs = silenceAllowedMs('cadenceMs' in last ? last.cadenceMs : firstPaceMs(cadence));
  return { kind: silentMs > allowedMs ? 'stale' : 'fresh', since: last.seq, silentMs };
}

/** How the run is, as far as the last look tells; with a stale monitor nobody knows. */
export type RunHealth = 'healthy' | 'unhealthy' | 'unknown';

/** Unknown without a fresh monitor or a status; unhealthy while the newest look shows a failure signature. */
export function runHealth(state: RunState, monitor: MonitorHealth): RunHealth {
  // rule HR-39
  if (monitor.kind !== 'fresh' || state.observation === null || state.observation.status === 'UNKNOWN')
    return 'unknown';
  return state.observation.signatures.length > 0 ? 'unhealthy' : 'healthy';
}

/** Whether this silence stands in the record already: each is told once. */
export function isSilenceTold(state: RunState, since: number): boolean {
  return incidentsWith(state.incidents, 'monitor-stale').some(({ detail }) => detail.since === since);
}

/**
 * Whether a watch was ever started for this job. One that nobody started, because control sleeps between two sweeps, has
 * not fallen silent: it is started, and nobody is alarmed.
 */
export function wasStarted(state: RunState, dispatches: readonly Dispatch[]): boolean {
  if (state.observation !== null) return true;
  const cluster = state.submission?.cluster ?? '';
  const submittedAt = fromRfc3339(state.submission?.at ?? '') ?? 0;
  return dispatchesFor(dispatches, 'watch', cluster).some(
    ({ at }) => (fromRfc3339(at) ?? 0) >= submittedAt - limits.dispatchVisibleMs,
  );
}

/**
 * What to do about a stale monitor. A watch that GitHub still has in progress from before the silence is hung or lost:
 * another one is started beside it, because the lease lets one of them work. `given-up`: several were started and none
 * has looked.
 */
export type Restart = 'restart' | 'on-its-way' | 'given-up';

/** `silentMs`: how long nothing was recorded; only watches of the run's cluster that control started since then count as tried. */
export function judgeRestart(
  state: RunState,
  silentMs: number,
  dispatches: readonly Dispatch[],
  now: Instant,
): Restart {
  const cluster = state.submission?.cluster ?? '';
  const ages = dispatchesFor(dispatches, 'watch', cluster).map(({ at }) => now - (fromRfc3339(at) ?? 0));
  const tried = ages.filter((ageMs) => ageMs < silentMs);
  if (tried.some((ageMs) => ageMs < WATCH_START_MS)) return 'on-its-way';
  return tried.length >= WATCH_RESTARTS_MAX ? 'given-up' : 'restart';
}
