/** Detectors that ask the steps in the log, and how fast they come. */

import {
  type AlarmFacts,
  alarm,
  cannotTell,
  type Evidence,
  type Finding,
  MINUTE_MS,
  QUIET,
  told,
} from './detector.ts';
import type { SeriesLaw } from './series.ts';

export const STALLED_STEPS_LIMITS = {
  /** Two looks of the policy's 570 s: *multiple intervals*; a hero's own watchdog waits for 15 min. */
  quietMs: 19 * MINUTE_MS,
  /** An eval of many sets, or a checkpoint of terabytes. */
  busyMs: 60 * MINUTE_MS,
  /** Until two looks have seen it move nobody knows how often its trainer says anything. */
  newMs: 60 * MINUTE_MS,
  /** How many times as long as it ever took, or as a step that can be seen takes. */
  times: 2,
} as const;

/** Steps that come no more while the job is said to run. Nothing has moved for longer than it ever took, and for longer than the bar's rounding explains: `83.3k` may stand for half an hour. */
export function stalledSteps(evidence: Evidence): Finding {
  const { status, isLogRead, hasTrained, moved, at } = evidence;
  if (status !== 'RUNNING') return status === 'UNKNOWN' ? cannotTell('engine') : QUIET;
  if (!isLogRead) return cannotTell('log');
  if (!hasTrained || moved === null) return cannotTell('progress');
  const boundMs = boundOf(evidence);
  if (boundMs === null) return cannotTell('progress');
  const quietMs = at - moved.at;
  if (quietMs < boundMs) return QUIET;
  return alarm(moved.at, {
    seen: evidence.step === null ? 'unknown' : String(evidence.step.value),
    minutes: Math.round(quietMs / MINUTE_MS),
    bound: String(Math.round(boundMs / MINUTE_MS)),
  });
}

/** Null where a rounded bar without a rate may stand for any time. */
function boundOf({ step, secondsPerStep, moved, isBusy }: Evidence): number | null {
  const { quietMs, busyMs, newMs, times } = STALLED_STEPS_LIMITS;
  const rounding = step === null || step.exact ? 1 : roundingOf(step.value);
  if (rounding > 1 && secondsPerStep === null) return null;
  const seenEveryMs = rounding * (secondsPerStep ?? 0) * 1_000;
  const known = moved === null || moved.looks < 2 ? newMs : times * moved.longestGapMs;
  return Math.max(quietMs, times * seenEveryMs, known, isBusy ? busyMs : 0);
}

/** Steps between two counts of three digits. */
export function roundingOf(value: number): number {
  return 10 ** Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 2);
}

/** A quarter below the baseline (the policy's 20 to 30 %), at three looks in a row: a dip for an eval or a checkpoint is none. */
export const SPEED_LAW: SeriesLaw = {
  // rule HR-40
  factor: 0.75,
  steps: 3,
  values: 3,
  distance: 0,
  noise: 0,
  // The first look has the compilation in it, and the caches fill at the next.
  warmUpValues: 3,
  warmUpSteps: 0,
};

/** Looks of an attempt whose pace is held against the attempt before: by then those of its warm-up are the fewer. */
const AGAIN_VALUES = 2 * SPEED_LAW.values;

/** As long as three looks of the usual cadence: while something is wrong they come so often that a long eval has three. */
const SLOW_MS = 2 * 570_000;

/** A run that goes on, and much slower than it did. */
export function throughputCollapse({
  speed,
  speedNow,
  speedBefore,
  slowSince,
  steppingSince,
  at,
}: Evidence): Finding {
  const { trend, streak, values } = speed;
  if (trend === null || values <= SPEED_LAW.warmUpValues) return cannotTell('speed');
  const isSettled = values >= AGAIN_VALUES && steppingSince !== null && at - steppingSince >= 2 * SLOW_MS;
  if (speedBefore !== null && speedNow !== null && isSettled) {
    // What warms up slowly leaves a low trend behind.
    const pace = Math.max(trend, speedNow);
    if (pace < SPEED_LAW.factor * speedBefore) return alarm('start', collapsed(pace, speedBefore, values));
  }
  if (streak === null || streak.values < SPEED_LAW.values) return QUIET;
  // rule VA-18
  if (slowSince === null || at - slowSince < SLOW_MS) return QUIET;
  return alarm(values - streak.values, collapsed(streak.peak, trend, streak.values));
}

function collapsed(speed: number, baseline: number, looks: number): AlarmFacts {
  return {
    seen: `${Math.round((1 - speed / baseline) * 100)}`,
    bound: told(baseline),
    step: String(looks),
  };
}
