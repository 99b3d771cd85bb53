/** Whether a look has come to where a person wanted the watch to end (policy ML-16). */

import { isTerminal } from '../domain/engine.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { WatchEndCause } from '../domain/logbook/events/watch-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { Look } from './look.ts';
import type { ShownCount } from './progress-line.ts';

/** The end of the watch, where the job goes on. */
export function watchEndOf(state: RunState, look: Look): readonly EventDraft[] {
  const { submission, watch } = state;
  if (submission === null || watch.bound === null || watch.ended !== null) return [];
  if (look.job.kind === 'found' && isTerminal(look.job.status)) return [];
  const cause = reached(watch.bound, look);
  if (cause === null) return [];
  const data = { attempt: submission.attempt, cause, reason: null };
  return [{ type: 'watch-ended', role: 'watch', data }];
}

function reached(
  { step, time }: NonNullable<RunState['watch']['bound']>,
  { log, at }: Look,
): WatchEndCause | null {
  if (step !== null && log.step !== null && atLeast(log.step) >= step) return 'step';
  return time !== null && at >= (fromRfc3339(time) ?? Number.POSITIVE_INFINITY) ? 'time' : null;
}

/** The least that a rounded step may stand for: three digits of it are shown. */
function atLeast({ value, exact }: ShownCount): number {
  return exact || value < 1 ? value : value - 10 ** (Math.floor(Math.log10(value)) - 2) / 2;
}
