/** What a detector is: one way in which a run goes wrong, told from what the watch has in hand, or not told at all. */

import type { JobStatus } from '../domain/engine.ts';
import type { TracePoint } from '../domain/logbook/run-state.ts';
import type { TrackedRun } from '../domain/tracker.ts';
import type { Instant } from '../domain/values.ts';

/** Values in an unbroken row beyond the law's bound; a step is null where the lines name none. */
export type Streak = {
  readonly from: number | null;
  readonly to: number | null;
  readonly values: number;
  readonly peak: number;
};

export type Series = {
  /** Null before the first value; what is beyond the bound does not move it. */
  readonly trend: number | null;
  readonly values: number;
  /** How far values are from the trend on an average; null where the law knows no noise. */
  readonly spread: number | null;
  /** The least that the trend has been since the warm-up; null before, and where the law knows no noise. */
  readonly lowest: number | null;
  readonly streak: Streak | null;
  /** The newest streak that was long enough, with the trend that it left. */
  readonly met: (Streak & { readonly trend: number }) | null;
  /** Values in an unbroken row that are no numbers. */
  readonly notFinite: number;
};

/** `factor` of the trend beyond which a value is away from it; below 1: it has to fall under it. */
export type SeriesLaw = {
  readonly factor: number;
  /** Steps that a streak lasts at the least; without steps as many values. */
  readonly steps: number;
  /** Lines that show it at the least: between two of them anything may have happened. */
  readonly values: number;
  /** What is nearer to the trend than this is noise, however small the trend. */
  readonly distance: number;
  /** So many times the spread are noise too, however large the factor makes it look; 0: neither spread nor lowest trend is kept. */
  readonly noise: number;
  /** Values of the warm-up, and steps: what changes quickly there is no fault. */
  readonly warmUpValues: number;
  readonly warmUpSteps: number;
};

export const NO_SERIES: Series = {
  ...{ trend: null, values: 0, spread: null, lowest: null },
  ...{ streak: null, met: null, notFinite: 0 },
};

/** Adds one value; `step` null where its line names none. */
export function addValue(series: Series, law: SeriesLaw, value: number, step: number | null): Series {
  if (!Number.isFinite(value)) return { ...series, notFinite: series.notFinite + 1 };
  const { trend, spread } = series;
  const values = series.values + 1;
  const next = { ...series, values, notFinite: 0 };
  const isWarmUp = values <= law.warmUpValues || (step !== null && step < law.warmUpSteps);
  if (trend === null || isWarmUp || !isAway(value, trend, spread ?? 0, law)) {
    const now = moved(trend, value, values);
    return {
      ...next,
      streak: null,
      trend: now,
      spread: law.noise === 0 || trend === null ? null : moved(spread, Math.abs(value - trend), values),
      lowest: law.noise === 0 || isWarmUp ? null : Math.min(series.lowest ?? now, now),
    };
  }
  const streak = longer(series.streak, law, value, step);
  const isLong = streak.values >= law.values && lengthOf(streak) >= law.steps;
  return { ...next, streak, met: isLong ? { ...streak, trend } : series.met };
}

function isAway(
  value: number,
  trend: number,
  spread: number,
  { factor, distance, noise }: SeriesLaw,
): boolean {
  if (Math.abs(value - trend) <= Math.max(distance, noise * spread)) return false;
  return factor >= 1 ? value > trend + (factor - 1) * Math.abs(trend) : value < factor * trend;
}

function longer(before: Streak | null, { factor }: SeriesLaw, value: number, step: number | null): Streak {
  // A step that is smaller than the one before belongs to another epoch, or to what was rolled back.
  if (before === null || (step !== null && before.to !== null && step < before.to))
    return { from: step, to: step, values: 1, peak: value };
  const peak = factor >= 1 ? Math.max(before.peak, value) : Math.min(before.peak, value);
  return { from: before.from, to: step ?? before.to, values: before.values + 1, peak };
}

function lengthOf({ from, to, values }: Streak): number {
  return from === null || to === null ? values : Math.max(to - from + 1, 1);
}

/** The mean of the first values, then one that forgets: a tenth of each new one. */
function moved(trend: number | null, value: number, values: number): number {
  if (trend === null) return value;
  return trend + (value - trend) * Math.max(1 / values, TREND_WEIGHT);
}

const TREND_WEIGHT = 0.1;

/** The middle one; null of none. */
export function medianOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

export const FOLLOWED = ['loss', 'grad-norm', 'z-loss', 'router-entropy', 'expert-load'] as const;
export type Followed = (typeof FOLLOWED)[number];

/** The hero policy's *about ten steps*; three lines, since a bar shows one step of many. */
const SUSTAINED = { steps: 10, values: 3, noise: 0, warmUpValues: 10, warmUpSteps: 50 } as const;

export const SERIES_LAWS: { readonly [Name in Followed]: SeriesLaw } = {
  // Half above the trend; near to nothing a loss moves by as much from step to step, and one of a policy is of either sign.
  // rule HR-47
  loss: { ...SUSTAINED, factor: 1.5, distance: 0.05, noise: 3 },
  // Single spikes of a gradient are clipped and mean nothing; one that stays an order of magnitude larger has exploded.
  'grad-norm': { ...SUSTAINED, factor: 10, values: 5, distance: 1 },
  'z-loss': { ...SUSTAINED, factor: 3, distance: 0 },
  // All tokens go to few experts: entropy falls, or the load of the fullest grows.
  'router-entropy': { ...SUSTAINED, factor: 0.5, distance: 0 },
  'expert-load': { ...SUSTAINED, factor: 2, distance: 0 },
};

/** Who has to have said something before a detector can tell. */
export type Witness =
  | 'engine'
  | 'log'
  | 'progress'
  | 'loss'
  | 'speed'
  | 'measures'
  | 'checkpoints'
  | 'store'
  | 'tracker'
  | 'manifest'
  | 'attempts'
  | 'lane'
  | 'monitor';

/** The facts of an alarm, as its sentence needs them: what was seen, beyond what bound, since which step or for how long. */
export type AlarmFacts = {
  readonly seen: string;
  readonly bound?: string;
  readonly step?: string;
  readonly minutes?: number;
};

/** `since` names the occasion: it is told once. `cannot-tell`: what would have to be known is not, which is no *all is well*. */
export type Finding =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'cannot-tell'; readonly missing: Witness }
  | { readonly kind: 'alarm'; readonly since: string; readonly facts: AlarmFacts };

/** What a detector finds in the evidence of one look. */
export type Judge = (evidence: Evidence) => Finding;

export const MINUTE_MS = 60_000;

export const QUIET: Finding = { kind: 'quiet' };

/** Nobody can tell without this witness. */
export function cannotTell(missing: Witness): Finding {
  return { kind: 'cannot-tell', missing };
}

/** An alarm that is told once for `since`. */
export function alarm(since: string | number, facts: AlarmFacts): Finding {
  return { kind: 'alarm', since: String(since), facts };
}

/** A number as a person reads it, in as many digits as matter. */
export function told(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** A loss at the same step of the run before it was resumed and after; `digits` behind the point of the coarser one. */
export type Replayed = {
  readonly step: number;
  readonly before: number;
  readonly after: number;
  readonly resolution: number;
};

/** An attempt before this one. */
export type PastEnd = {
  readonly status: JobStatus;
  readonly lastStep: number | null;
  readonly endedAt: Instant | null;
};

export type Evidence = {
  readonly at: Instant;
  readonly status: JobStatus | 'UNKNOWN';
  /** False where the log could not be read on: then its silence says nothing. */
  readonly isLogRead: boolean;
  readonly pendingSince: Instant | null;
  readonly runningSince: Instant | null;
  /** The count of steps as shown: from 1,000 on a bar has three digits. */
  readonly step: { readonly value: number; readonly exact: boolean } | null;
  /** A step or a loss was seen. */
  readonly hasTrained: boolean;
  /** When a look saw something move last, and how far apart such looks were at the most. */
  readonly moved: { readonly at: Instant; readonly longestGapMs: number; readonly looks: number } | null;
  readonly secondsPerStep: number | null;
  /** An eval or the writing of a checkpoint is under way: steps wait for it. */
  readonly isBusy: boolean;
  readonly series: { readonly [Name in Followed]?: Series };
  readonly isLossLost: boolean;
  /** Steps or tokens a second, one value a look. */
  readonly speed: Series;
  /** Its value at this look. */
  readonly speedNow: number | null;
  /** The highest trend of it in an attempt before that trained the same; null where none had one. */
  readonly speedBefore: number | null;
  /** The first look of those in a row that were slower than the law allows. */
  readonly slowSince: Instant | null;
  /** Looks in a row in which the accelerators idled, and the middle of the newest in per cent; null where nobody says. */
  readonly use: {
    readonly lowLooks: number;
    readonly lowSince: Instant | null;
    readonly percent: number;
  } | null;
  readonly replayed: readonly Replayed[] | null;
  readonly saved: {
    readonly step: number;
    readonly at: Instant;
    readonly longestGapMs: number | null;
  } | null;
  readonly savingSince: Instant | null;
  /** Whether the stores could tell when they were asked last; null: nobody asks them. */
  readonly isStoreRead: boolean | null;
  /** What the log called saved and the stores did not have whole, at so many of their answers in a row; null: nothing. */
  readonly unstored: {
    readonly step: number;
    readonly newest: number | null;
    readonly since: Instant;
    readonly answers: number;
  } | null;
  readonly saveEveryMs: number | null;
  readonly steppingSince: Instant | null;
  /** Small facts of the engine. */
  readonly engine: { readonly [name: string]: string };
  /**
   * The run that was meant, those that the log says are written to, and what the tracker said at this look: null where nobody
   * asked, or it gave no answer.
   */
  readonly tracker: {
    readonly intended: string;
    readonly logged: readonly string[];
    readonly said: Pick<TrackedRun, 'identity' | 'name' | 'step' | 'rowAt' | 'heartbeatAt'> | null;
  } | null;
  readonly config: readonly {
    readonly name: string;
    readonly launched: string;
    readonly observed: string;
  }[];
  readonly past: readonly PastEnd[];
  /** The course of the loss of the lane's last runs, newest first; null where nobody knows them. */
  readonly lane: readonly (readonly TracePoint[])[] | null;
  /** What the run is for, at its first eval, at the look before and now; null where nobody knows all of it. */
  readonly objective: {
    readonly key: string;
    readonly better: 'lower' | 'higher';
    readonly first: number;
    readonly before: number;
    readonly now: number;
  } | null;
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | null;
  /** Of a job that succeeded: what it left; null where nobody can say. */
  readonly left: { readonly checkpoint: boolean | null; readonly metrics: boolean | null };
};
