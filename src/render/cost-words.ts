/** What a run did cost: the accelerators of its cluster's table times the time that its job ran. */

import { isAdopted } from '../domain/logbook/adoption.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { trimmedEnd } from '../domain/trimmed-end.ts';
import type { RenderInput } from './input.ts';
import { code, count, text } from './words.ts';

/**
 * Null before the job runs. From the engine's own start and end, and while it runs from the first look that found it running;
 * where these are not known, or the table does not say how many accelerators a run holds, that is what is said: an estimate
 * is never shown as a cost.
 */
export function costLine({ state, config }: Pick<RenderInput, 'state' | 'config'>): string | null {
  const { end, submission, gate } = state;
  if (submission === null) return null;
  // What is gated by then is another launch.
  const isOurs = !isAdopted({ submission });
  if (end === null) return costSoFar(state, config.clusters[submission.cluster]?.accelerators ?? null);
  const estimate = gate?.manifest?.cost.acceleratorHours ?? null;
  const expected = estimate === null || !isOurs ? '' : ` Expected before the approval: ${text(estimate)}.`;
  const ranMs = durationMs(end.startedAt, end.endedAt);
  if (ranMs === null) return `Cost: not known, the engine did not tell when the job ran.${expected}`;
  const accelerators = config.clusters[submission.cluster]?.accelerators ?? null;
  if (accelerators === null)
    return `Cost: not known; the job ran ${duration(ranMs)}, and the config does not say how many accelerators a run holds on ${code(submission.cluster)}.${expected}`;
  return `Cost: **${hours(ranMs * accelerators)} accelerator-hours** (${duration(ranMs)} on ${count(accelerators, 'accelerator')})${withEarlier(state, ranMs, accelerators)}.${expected}`;
}

/** Until the newest look. */
function costSoFar(state: RunState, accelerators: number | null): string | null {
  const { observation } = state;
  const ranMs = durationMs(observation?.course?.runningSince ?? null, observation?.at ?? null);
  if (ranMs === null || accelerators === null) return null;
  return `Cost so far: about **${hours(ranMs * accelerators)} accelerator-hours** (${duration(ranMs)} on ${count(accelerators, 'accelerator')})${withEarlier(state, ranMs, accelerators)}.`;
}

/** With the attempts before, as far as the engine has told when they ran. */
function withEarlier({ attempts }: RunState, ranMs: number, accelerators: number): string {
  if (attempts.length === 0) return '';
  const before = attempts.map(({ end }) => durationMs(end.startedAt, end.endedAt));
  if (before.includes(null)) return '; what attempts before it took is not known';
  const allMs = before.reduce<number>((sum, ms) => sum + (ms ?? 0), ranMs);
  return `; with ${count(attempts.length, 'attempt')} before it ${hours(allMs * accelerators)}`;
}

function durationMs(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 3_600
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** Three decimals are seconds of one accelerator; trailing zeros say nothing. */
function hours(ms: number): string {
  return trimmedEnd(trimmedEnd((ms / 3_600_000).toFixed(3), '0'), '.');
}
