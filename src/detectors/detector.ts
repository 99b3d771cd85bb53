/** The contract of a detector: it recognises one kind of failure in the watch's facts, or reports that it cannot tell. */

import type { JobStatus } from '../domain/engine.ts';
import type { TracePoint } from '../domain/logbook/run-state.ts';
import type { TrackedRun } from '../domain/tracker.ts';
import type { Instant } from '../domain/values.ts';

/** Consecutive values beyond the law's bound. A step is null if its line has none. */
export type Streak = {
  readonly from: number | null;
  readonly to: number | null;
  readonly values: number;
  readonly peak: number;
};

export type Series = {
  /** Null before the first value. Values beyond the bound do not change the trend. */
  readonly trend: number | null;
  readonly values: number;
  /** The mean distance between values and the trend; null if the law has no noise bound. */
  readonly spread: number | null;
  /** The lowest trend since the warm-up; null during the warm-up, or if the law has no noise bound. */
  readonly lowest: number | null;
  readonly streak: Streak | null;
  /** The newest streak that was long enough, with the trend at that time. */
  readonly lastStreak: (Streak & { readonly trend: number }) | null;
  /** Consecutive values that are not finite. */
  readonly notFinite: number;
};

/** `factor`: a value beyond `factor` times the trend leaves the trend; with a factor below 1, it must fall below. */
export type SeriesLaw = {
  readonly factor: number;
  /** The minimum length of a streak in steps; if lines have no steps, in values. */
  readonly steps: number;
  /** The minimum number of lines in a streak: values between two lines are unknown. */
  readonly values: number;
  /** Values this close to the trend are noise, however small the trend. */
  readonly minDistance: number;
  /** Values within this many spreads are noise too, for any factor. With 0, neither spread nor lowest trend is kept. */
  readonly noise: number;
  /** The warm-up in values and in steps: quick changes there are normal. */
  readonly warmUpValues: number;
  readonly warmUpSteps: number;
};

export const NO_SERIES: Series = {
  ...{ trend: null, values: 0, spread: null, lowest: null },
  ...{ streak: null, lastStreak: null, notFinite: 0 },
};

/** Adds one value; `step` is null if its line has none. */
export function addValue(series: Series, law: SeriesLaw, value: number, step: number | null): Series {
  if (!Number.isFinite(value)) return { ...series, notFinite: series.notFinite + 1 };
  const { trend, spread } = series;
  const values = series.values + 1;
  const next = { ...series, values, notFinite: 0 };
  const isWarmUp = values <= law.warmUpValues || (step !== null && step < law.warmUpSteps);
  if (trend === null || isWarmUp || !isOutlier(value, trend, spread ?? 0, law)) {
    const now = updateTrend(trend, value, values);
    return {
      ...next,
      streak: null,
      trend: now,
      spread: law.noise === 0 || trend === null ? null : updateTrend(spread, Math.abs(value - trend), values),
      lowest: law.noise === 0 || isWarmUp ? null : Math.min(series.lowest ?? now, now),
    };
  }
  const streak = extendStreak(series.streak, law, value, step);
  const isLong = streak.values >= law.values && streakLength(streak) >= law.steps;
  return { ...next, streak, lastStreak: isLong ? { ...streak, trend } : series.lastStreak };
}

function isOutlier(value: number, trend: number, spread: number, { factor, minDistance, noise }: SeriesLaw): boolean {
  if (Math.abs(value - trend) <= Math.max(minDistance, noise * spread)) return false;
  return factor >= 1 ? value > trend + (factor - 1) * Math.abs(trend) : value < factor * trend;
}

function extendStreak(before: Streak | null, { factor }: SeriesLaw, value: number, step: number | null): Streak {
  // A lower step than the previous one follows a rollback or a new epoch.
  if (before === null || (step !== null && before.to !== null && step < before.to))
    return { from: step, to: step, values: 1, peak: value };
  const peak = factor >= 1 ? Math.max(before.peak, value) : Math.min(before.peak, value);
  return { from: before.from, to: step ?? before.to, values: before.values + 1, peak };
}

function streakLength({ from, to, values }: Streak): number {
  return from === null || to === null ? values : Math.max(to - from + 1, 1);
}

/** The mean of the first values, then an exponential average that weights each new value by a tenth. */
function updateTrend(trend: number | null, value: number, values: number): number {
  if (trend === null) return value;
  return trend + (value - trend) * Math.max(1 / values, TREND_WEIGHT);
}

const TREND_WEIGHT = 0.1;

/** The median, the lower one for an even count; null for no values. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

export const FOLLOWED_MEASURES = [
  'loss',
  'grad-norm',
  'z-loss',
  'balance-loss',
  'router-entropy',
  'expert-load',
] as const;
export type FollowedMeasure = (typeof FOLLOWED_MEASURES)[number];

/** The hero policy's *about ten steps*; three lines, because a bar shows only some steps. */
const SUSTAINED = { steps: 10, values: 3, noise: 0, warmUpValues: 10, warmUpSteps: 50 } as const;

export const SERIES_LAWS: { readonly [Name in FollowedMeasure]: SeriesLaw } = {
  // Half above the trend. Near zero a loss varies that much between steps, and a policy loss can have either sign.
  // rule HR-47
  loss: { ...SUSTAINED, factor: 1.5, minDistance: 0.05, noise: 3 },
  // Clipping makes single gradient spikes harmless; a gradient that stays ten times larger has exploded.
  'grad-norm': { ...SUSTAINED, factor: 10, values: 5, minDistance: 1 },
  'z-loss': { ...SUSTAINED, factor: 3, minDistance: 0 },
  // All tokens go to few experts: the loss that balances them rises, entropy falls, or the load of the fullest expert grows.
  'balance-loss': { ...SUSTAINED, factor: 2, minDistance: 0 },
  'router-entropy': { ...SUSTAINED, factor: 0.5, minDistance: 0 },
  'expert-load': { ...SUSTAINED, factor: 2, minDistance: 0 },
};

/** Sources of facts that a detector can depend on. */
export type Witness =
  | 'engine'
  | 'log'
  | 'progress'
  | 'loss'
  | 'speed'
  | 'measures'
  | 'checkpoints'
  | 'evals'
  | 'store'
  | 'tracker'
  | 'manifest'
  | 'attempts'
  | 'lane'
  | 'monitor';

/** Facts for the alarm's sentence: the observed value, the bound, and the first step or the duration. */
export type AlarmFacts = {
  readonly seen: string;
  readonly bound?: string;
  readonly step?: string;
  readonly minutes?: number;
};

/** `since` identifies the occasion, which is reported once. `cannot-tell`: a required fact is unknown, which is not *all is well*. */
export type Finding =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'cannot-tell'; readonly missing: Witness }
  | { readonly kind: 'alarm'; readonly since: string; readonly facts: AlarmFacts };

export type Detector = (evidence: Evidence) => Finding;

export const MINUTE_MS = 60_000;

export const QUIET: Finding = { kind: 'quiet' };

/** The result without the facts of this witness. */
export function cannotTell(missing: Witness): Finding {
  return { kind: 'cannot-tell', missing };
}

/** An alarm that is reported once per `since`. */
export function raise(since: string | number, facts: AlarmFacts): Finding {
  return { kind: 'alarm', since: String(since), facts };
}

/** A loss at the same step before and after a resume. `resolution`: the last printed digit's unit, of the coarser value. */
export type Replayed = {
  readonly step: number;
  readonly before: number;
  readonly after: number;
  readonly resolution: number;
};

export type PastEnd = {
  readonly status: JobStatus;
  readonly lastStep: number | null;
  readonly endedAt: Instant | null;
};

export type Evidence = {
  readonly at: Instant;
  readonly status: JobStatus | 'UNKNOWN';
  /** False if the log could not be read further; then missing lines mean nothing. */
  readonly isLogRead: boolean;
  readonly pendingSince: Instant | null;
  readonly runningSince: Instant | null;
  /** The step count as shown: a bar shows three digits from 1,000 up. */
  readonly step: { readonly value: number; readonly exact: boolean } | null;
  /** Whether any step or loss was observed. */
  readonly hasTrained: boolean;
  /** The last observation with a moved step, and the longest gap between such observations. */
  readonly moved: { readonly at: Instant; readonly longestGapMs: number; readonly observations: number } | null;
  readonly secondsPerStep: number | null;
  /** Whether an eval or a checkpoint write is running; steps wait for both. */
  readonly isBusy: boolean;
  readonly series: { readonly [Name in FollowedMeasure]?: Series };
  readonly isLossMissing: boolean;
  /** Steps or tokens per second, one value per observation. */
  readonly speed: Series;
  /** A speed below this share of another one is much slower. */
  readonly speedFloor: number;
  readonly speedNow: number | null;
  /** The highest speed trend of earlier attempts with the same training; null if none has one. */
  readonly speedBefore: number | null;
  /** The first of the current consecutive observations that were slower than the law allows. */
  readonly slowSince: Instant | null;
  /** Consecutive observations with idle accelerators, and the newest median use in per cent; null if unknown. */
  readonly use: {
    readonly idleObservations: number;
    readonly idleSince: Instant | null;
    readonly percent: number;
  } | null;
  readonly replayed: readonly Replayed[] | null;
  readonly saved: { readonly step: number; readonly at: Instant; readonly longestGapMs: number | null } | null;
  readonly savingSince: Instant | null;
  /** The newest observation that saw an evaluation, and the longest time between two of them. */
  readonly evaluated: { readonly at: Instant; readonly longestGapMs: number; readonly observations: number } | null;
  /** The newest observation in which the log had grown. */
  readonly logGrewAt: Instant | null;
  /** Whether the stores answered the last request; null if no request was made. */
  readonly isStoreRead: boolean | null;
  /** A step that the log reports as saved and the stores lacked in this many consecutive answers; null if none. */
  readonly unstored: {
    readonly step: number;
    readonly newest: number | null;
    readonly since: Instant;
    readonly answers: number;
  } | null;
  readonly saveEveryMs: number | null;
  readonly steppingSince: Instant | null;
  /** Small facts from the engine. */
  readonly engine: { readonly [name: string]: string };
  /**
   * The intended run, the runs that the log links to, and the tracker's answer at this observation: null if the tracker was not asked or
   * did not answer.
   */
  readonly tracker: {
    readonly intended: string;
    readonly logged: readonly string[];
    readonly trackedRun: Pick<TrackedRun, 'identity' | 'name' | 'step' | 'rowAt' | 'heartbeatAt'> | null;
  } | null;
  readonly config: readonly { readonly name: string; readonly launched: string; readonly observed: string }[];
  readonly past: readonly PastEnd[];
  /** The loss over the steps of the lane's last runs, newest first; null if unknown. */
  readonly lane: readonly (readonly TracePoint[])[] | null;
  /** The objective at its first eval, at the previous observation and now; null unless all three are known. */
  readonly objective: {
    readonly key: string;
    readonly better: 'lower' | 'higher';
    readonly first: number;
    readonly before: number;
    readonly now: number;
  } | null;
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | null;
  /** What a successful job left; null if unknown. `work`: a checkpoint, an evaluation, or metrics with a step. */
  readonly artefacts: { readonly checkpoint: boolean | null; readonly metrics: boolean | null; readonly work: boolean };
};
