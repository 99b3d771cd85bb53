/** How far a job is: `~4600/5155`, where the total is exact and a rounded step never looks like one (policy ML-14 and ML-15). */

import { assertNever } from '../domain/assert.ts';
import type { Observation, RunState } from '../domain/logbook/run-state.ts';

/** `~<step>/<exact total>`, `~<step>/unknown`, or that there is no step yet. */
export function progressText(step: number | null, totalSteps: number | null): string {
  if (step === null) return 'no step seen yet';
  // rule ML-14
  return `\`~${step}/${totalSteps ?? 'unknown'}\``;
}

/** How fast it goes and how long it will take, as far as it is known: `18.9 s a step, about 5 h 10 min to go`; empty where it is not. */
export function paceText({ step, totalSteps, pace }: Observation): string {
  if (pace === undefined) return '';
  const seconds = pace.secondsPerStep === null ? null : Number(pace.secondsPerStep);
  const rate =
    seconds === null ? [] : [seconds >= 1 ? `${short(seconds)} s a step` : `${short(1 / seconds)} steps/s`];
  const tokens = pace.tokensPerSecond === null ? [] : [`${short(Number(pace.tokensPerSecond))} tokens/s`];
  const toGo =
    seconds !== null && step !== null && totalSteps !== null && totalSteps >= step
      ? (totalSteps - step) * seconds
      : pace.remainingSeconds;
  const left = toGo === null ? [] : [`about ${spanText(toGo)} to go`];
  return [...rate, ...tokens, ...left].join(', ');
}

/** Three digits: `1.23M`, `456k`, `18.9`. */
function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  return value >= 1e4 ? `${Math.round(value / 1e3)}k` : String(Number(value.toPrecision(3)));
}

/** A time to go is an estimate: minutes at the finest, and days where it is days. */
function spanText(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor((minutes % 1_440) / 60), minutes % 60];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
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

/** Whose link it is. MLflow's pages lie behind a `#`. */
export function trackerName(url: string): string {
  return url.includes('/#/experiments/') ? 'MLflow' : 'W&B';
}
