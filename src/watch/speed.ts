/** The speed of a job and the spread of its speed, and how the record keeps a series of values. */

import { median, NO_SERIES, type Series, type SeriesLaw } from '../detectors/detector.ts';
import { SPEED_LAW, SPEED_NOISES } from '../detectors/progress.ts';
import type { Course, RecordedSeries } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/values.ts';
import type { Poll } from './poll.ts';
import { formatDecimal } from './training.ts';

export type Speed = { readonly value: number; readonly unit: SpeedUnit; readonly values: readonly number[] };
type SpeedUnit = NonNullable<Course['speedUnit']>;

/**
 * Tokens, samples or steps per second: what the lines have, in this order, because the steps of a growing batch take longer. An attempt
 * keeps its first unit. Steps may be computed from the exact steps of two observations.
 */
export function currentSpeed(state: RunState, poll: Poll): Speed | null {
  const { tokensPerSecond, samplesPerSecond, secondsPerStep } = poll.log.training.latest;
  const steps = secondsPerStep.map((seconds) => 1 / seconds);
  const told = { tokens: tokensPerSecond, samples: samplesPerSecond, steps };
  const unit = state.observation?.course?.speedUnit;
  const units = unit === undefined ? (['tokens', 'samples', 'steps'] as const) : [unit];
  for (const one of units) {
    const value = median(told[one]);
    if (value !== null) return { value, unit: one, values: told[one] };
  }
  const value = unit === undefined || unit === 'steps' ? stepsBetween(state, poll) : null;
  return value === null ? null : { value, unit: 'steps', values: [] };
}

/** Fewer lines show no spread. */
const NOISE_LINES_MIN = 4;
/** The standard deviation of normally distributed values, by their median distance from the median; and that of a median of many. */
const DEVIATION = 1.48;
const OF_MEDIAN = 1.25;
const NOISE_WEIGHT = 0.1;

/**
 * The relative deviation of the speed, from line to line in one observation or else from one observation to the next, averaged over
 * observations.
 */
export function noiseAfter({ speedNoise: before, speed }: Course, { value, values }: Speed): string | undefined {
  const { trend, values: looks } = readSeries(speed);
  const isBetween = values.length === 0;
  const isUsual = trend !== null && looks >= SPEED_LAW.warmUpValues && speed?.streak === undefined;
  if (isBetween ? !isUsual : values.length < NOISE_LINES_MIN) return before;
  const distance = median(values.map((one) => Math.abs(one - value))) ?? 0;
  const now = values.length > 0 ? (DEVIATION * distance) / value : Math.abs(value / (trend ?? value) - 1);
  const known = Number(before ?? now);
  return formatDecimal(known + (now - known) * Math.max(NOISE_WEIGHT, 1 / Math.max(looks, 1)));
}

/** A run whose speed varies that much is slow only beyond its own spread. */
export function speedLaw({ speedNoise = '0' }: Course, values: readonly number[]): SeriesLaw {
  const noise = values.length === 0 ? Number(speedNoise) : (OF_MEDIAN * Number(speedNoise)) / Math.sqrt(values.length);
  return { ...SPEED_LAW, factor: Math.min(SPEED_LAW.factor, 1 - SPEED_NOISES * noise) };
}

function stepsBetween({ observation }: RunState, { at, log }: Poll): number | null {
  const since = fromRfc3339(observation?.at ?? '');
  if (observation === null || since === null || observation.step === null || log.step === null) return null;
  const isExact = observation.stepIsExact && log.step.exact && observation.unread === undefined;
  const steps = log.step.value - observation.step;
  return isExact && steps > 0 && at > since ? (steps * 1_000) / (at - since) : null;
}

/** Parses a recorded series; an empty series if there is none. */
export function readSeries(from: RecordedSeries | undefined): Series {
  if (from === undefined) return NO_SERIES;
  const { trend, values, spread, lowest, streak, lastStreak, notFinite } = from;
  return {
    trend: trend === null ? null : Number(trend),
    values,
    spread: spread === undefined ? null : Number(spread),
    lowest: lowest === undefined ? null : Number(lowest),
    streak: streak === undefined ? null : { ...streak, peak: Number(streak.peak) },
    lastStreak:
      lastStreak === undefined
        ? null
        : { ...lastStreak, peak: Number(lastStreak.peak), trend: Number(lastStreak.trend) },
    notFinite: notFinite ?? 0,
  };
}
