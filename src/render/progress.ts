/** How far a job is: `~4600/5155`, where the total is exact and a rounded step never looks like one (policy ML-14 and ML-15). */

import { assertNever } from '../domain/assert.ts';
import type { Observation, RunState } from '../domain/logbook/run-state.ts';

/** `~<step>/<exact total>`, `~<step>/unknown`, or that there is no step yet. */
export function progressText(step: number | null, totalSteps: number | null): string {
  if (step === null) return 'no step seen yet';
  return `\`~${step}/${totalSteps ?? 'unknown'}\``;
}

/** What the engine said last, as a person reads it. */
export function engineSays(status: Observation['status']): string {
  switch (status) {
    case 'PENDING':
      return 'the engine has it in its queue (PENDING)';
    case 'RUNNING':
      return 'the engine says RUNNING';
    case 'SUCCEEDED':
    case 'FAILED':
    case 'STOPPED':
      return `the engine says ${status}`;
    case 'UNKNOWN':
      return 'the engine gave no usable answer';
    default:
      return assertNever(status);
  }
}

/** Newest tracker link of the run, or null. */
export function trackerUrl(state: RunState): string | null {
  return state.end?.trackers.at(-1)?.url ?? state.observation?.trackers.at(-1)?.url ?? null;
}
