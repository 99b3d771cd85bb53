/** A run that goes on, and much slower than it did. */

import { type AlarmFacts, alarm, cannotTell, type Detector, QUIET, told } from './detector.ts';
import type { SeriesLaw } from './series.ts';

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

export const throughputCollapse: Detector = {
  id: 'throughput-collapse',
  witness: ['speed'],
  limits: { ...SPEED_LAW, slowMs: SLOW_MS, againValues: AGAIN_VALUES },
  judge: ({ speed, speedNow, speedBefore, slowSince, steppingSince, at }) => {
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
  },
};

function collapsed(speed: number, baseline: number, looks: number): AlarmFacts {
  return {
    seen: `${Math.round((1 - speed / baseline) * 100)}`,
    bound: told(baseline),
    step: String(looks),
  };
}
