/** A run that goes on, and much slower than it did. */

import { alarm, cannotTell, type Detector, QUIET, told } from './detector.ts';
import type { SeriesLaw } from './series.ts';

/** A quarter below the baseline (the policy's 20 to 30 %), at three looks in a row: a dip for an eval or a checkpoint is none. */
export const SPEED_LAW: SeriesLaw = {
  factor: 0.75,
  steps: 3,
  values: 3,
  distance: 0,
  // The first look has the compilation in it, and the caches fill at the next.
  warmUpValues: 3,
  warmUpSteps: 0,
};

/** As long as three looks of the usual cadence: while something is wrong they come so often that a long eval has three. */
const SLOW_MS = 2 * 570_000;

export const throughputCollapse: Detector = {
  id: 'throughput-collapse',
  witness: ['speed'],
  limits: { ...SPEED_LAW, slowMs: SLOW_MS },
  judge: ({ speed, slowSince, at }) => {
    const { trend, streak, values } = speed;
    if (trend === null || values <= SPEED_LAW.warmUpValues) return cannotTell('speed');
    if (streak === null || streak.values < SPEED_LAW.values) return QUIET;
    if (slowSince === null || at - slowSince < SLOW_MS) return QUIET;
    return alarm(values - streak.values, {
      seen: `${Math.round((1 - streak.peak / trend) * 100)}`,
      bound: told(trend),
      step: String(streak.values),
    });
  },
};
