/** When to look: 120 s after a submit, then every 570 s, unless the lab says otherwise (policy ML-08). */

import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339 } from '../domain/time.ts';

export type Cadence = { readonly startupMs: number; readonly pollMs: number };

/** The moment of the next check of a live run. A stop that was asked for is never waited with. */
export function nextCheckAt(state: RunState, cadence: Cadence, now: Instant): Instant {
  if (state.submission === null || state.stop !== null) return now;
  const observed = state.observation === null ? null : fromRfc3339(state.observation.at);
  const next =
    observed === null
      ? after(fromRfc3339(state.submission.at) ?? now, cadence.startupMs)
      : after(observed, cadence.pollMs);
  return sooner(next, stoppingTime(state));
}

/** When a person wants the watch to end; null where it has ended, or ends at no time. */
function stoppingTime({ watch: { bound, ended } }: RunState): Instant | null {
  return ended !== null || bound === null || bound.time === null ? null : fromRfc3339(bound.time);
}

function sooner(next: Instant, other: Instant | null): Instant {
  return other !== null && other < next ? other : next;
}

/** How often the logbook is looked at for a stop, whatever the cadence: never more seldom than every 30 s. */
export function stopLookPeriodMs(cadence: Cadence): number {
  return Math.min(limits.stopLookPeriodMs, cadence.startupMs, cadence.pollMs);
}
