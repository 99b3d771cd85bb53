/** Aggregates the training lines of a log: speed, and the trend of each measure. */

import {
  addValue,
  FOLLOWED_MEASURES,
  type FollowedMeasure,
  median,
  NO_SERIES,
  type Replayed,
  SERIES_LAWS,
  type Series,
} from '../detectors/detector.ts';
import { CATCH_UP_PAIRS } from '../detectors/measures.ts';
import type { ShownCount, TrainingLine } from '../diagnosis/training-line.ts';
import type { Pace, ReplayedStep } from '../domain/logbook/events/job-events.ts';
import type { TracePoint } from '../domain/logbook/run-state.ts';
import { omitUndefined } from '../domain/values.ts';

export type Replay = {
  /** Losses of the training that this attempt resumed, by step; null if it resumed none. */
  readonly past: ReadonlyMap<number, string> | null;
  /** The job itself rolled back, so no finished attempt contains its earlier steps. */
  readonly isOwnPast: boolean;
  readonly pairs: readonly ReplayedStep[];
  /** Steps of this log so far; only every `stride`-th step is kept. */
  readonly recent: readonly TracePoint[];
  readonly stride: number;
};

export const NO_REPLAY: Replay = { past: null, isOwnPast: false, pairs: [], recent: [], stride: 1 };

/** Steps whose loss left its trend. A rollback is meant to change them, so they are not compared. */
type Deviations = { readonly streak?: Stretch | null | undefined; readonly lastStreak?: Stretch | null | undefined };
type Stretch = { readonly from: number | null; readonly to: number | null };

/** Losses of an earlier attempt at its exact steps. */
export function startReplay(trace: readonly TracePoint[], loss: Deviations | undefined): Replay {
  return trace.length === 0 ? NO_REPLAY : { ...NO_REPLAY, past: byStep(trace, loss) };
}

/** The log reports a loaded checkpoint, so the job may repeat its earlier steps. */
export function goBackInReplay(replay: Replay, loss: Deviations | undefined): Replay {
  return replay.recent.length === 0
    ? replay
    : { ...replay, past: byStep(replay.recent, loss), isOwnPast: true, recent: [], stride: 1 };
}

/** The job's own losses before its rollback, until it passes their last step; the next observation compares with them too. */
export function ownTrace({ past, isOwnPast, recent }: Replay): readonly TracePoint[] {
  const points = past === null || !isOwnPast ? [] : [...past].map(([at, loss]) => ({ step: at, loss }));
  const reached = recent.at(-1)?.step ?? 0;
  return points.some(({ step }) => step > reached) ? points : [];
}

function byStep(trace: readonly TracePoint[], { streak, lastStreak }: Deviations = {}): ReadonlyMap<number, string> {
  const isInStretch = (step: number, wrong: Stretch | null | undefined): boolean =>
    wrong?.from != null && wrong.to !== null && step >= wrong.from && step <= wrong.to;
  const sound = trace.filter(({ step }) => !isInStretch(step, streak) && !isInStretch(step, lastStreak));
  return new Map(sound.map(({ step, loss }) => [step, loss]));
}

/** Adds a line if its step is exact. */
export function addReplayedStep(replay: Replay, { step, measures: { loss } }: TrainingLine): Replay {
  if (step?.exact !== true || loss === undefined) return replay;
  const { value } = step;
  const next = addRecent(replay, { step: value, loss });
  const before = replay.past?.get(value);
  const isKnown = replay.pairs.some((pair) => pair.step === value);
  if (before === undefined || isKnown) return next;
  const [first, later] = [replay.pairs.slice(0, CATCH_UP_PAIRS), replay.pairs.slice(CATCH_UP_PAIRS)];
  const pair = { step: value, before, after: loss };
  return {
    ...next,
    pairs: first.length < CATCH_UP_PAIRS ? [...first, pair] : [...first, ...later.slice(1 - LATER_MAX), pair],
  };
}

/** The newest pairs kept after the catch-up. */
const LATER_MAX = 10;
const RECENT_MAX = 256;

function addRecent(replay: Replay, point: TracePoint): Replay {
  if (point.step % replay.stride !== 0) return replay;
  const longer = [...replay.recent, point];
  if (longer.length <= RECENT_MAX) return { ...replay, recent: longer };
  const stride = replay.stride * 2;
  return { ...replay, stride, recent: longer.filter(({ step }) => step % stride === 0) };
}

/** For the chart of the loss: a record of weeks has to stay small. */
export const LOSSES_MAX = 12;

/** At most `most` evenly spaced points, including the newest. */
export function thinEvenly(points: readonly TracePoint[], most: number): readonly TracePoint[] {
  const stride = Math.ceil(points.length / most);
  return points.filter((_, index) => (points.length - 1 - index) % stride === 0);
}

/** Converts pairs to numbers, with the resolution of the coarser value. */
export function compareReplayed(pairs: readonly ReplayedStep[]): readonly Replayed[] {
  return pairs.map(({ step, before, after }) => ({
    step,
    before: Number(before),
    after: Number(after),
    resolution: Math.max(printedResolution(before), printedResolution(after)),
  }));
}

/** The value of one unit in the last printed digit. */
export function printedResolution(printed: string): number {
  const match = /^[-+]?\d{0,20}(?:\.(\d{0,20}))?(?:e([-+]?\d{1,4}))?$/i.exec(printed);
  if (match === null) return Number.POSITIVE_INFINITY;
  return 10 ** (Number(match[2] ?? 0) - (match[1] ?? '').length);
}

export type Training = {
  readonly series: { readonly [Name in FollowedMeasure]?: Series };
  readonly replay: Replay;
  /** From this observation only. */
  readonly latest: {
    readonly lines: number;
    /** Lines with a step other than the previous line's. */
    readonly stepChanges: number;
    /** The line numbers of the newest few such lines. */
    readonly stepChangeLines: readonly number[];
    readonly secondsPerStep: readonly number[];
    readonly tokensPerSecond: readonly number[];
    readonly samplesPerSecond: readonly number[];
    readonly use: readonly number[];
    readonly remainingSeconds: number | null;
    readonly memory: string | null;
  };
};

const NO_LOOK: Training['latest'] = {
  lines: 0,
  stepChanges: 0,
  stepChangeLines: [],
  secondsPerStep: [],
  tokensPerSecond: [],
  samplesPerSecond: [],
  use: [],
  remainingSeconds: null,
  memory: null,
};
export const NO_TRAINING: Training = { series: {}, replay: NO_REPLAY, latest: NO_LOOK };

/** Adds one line. `movedAt`: its line number if its step differs from the previous line's. `at`: its step, or that of its record. */
export function addTrainingLine(
  training: Training,
  line: TrainingLine,
  movedAt: number | null,
  at: ShownCount | null = line.step,
): Training {
  const { latest } = training;
  const { secondsPerStep, tokensPerSecond, samplesPerSecond, remainingSeconds, measures } = line;
  const use = Number(measures['gpu-use'] ?? Number.NaN);
  return {
    series: addMeasures(training.series, { ...line, step: at }),
    replay: addReplayedStep(training.replay, line),
    latest: {
      lines: latest.lines + 1,
      stepChanges: latest.stepChanges + (movedAt === null ? 0 : 1),
      stepChangeLines:
        movedAt === null ? latest.stepChangeLines : [...latest.stepChangeLines, movedAt].slice(-MOVED_KEPT),
      secondsPerStep: keepRecent(latest.secondsPerStep, secondsPerStep),
      tokensPerSecond: keepRecent(latest.tokensPerSecond, tokensPerSecond),
      samplesPerSecond: keepRecent(latest.samplesPerSecond, samplesPerSecond),
      use: keepRecent(latest.use, Number.isFinite(use) ? use : null),
      remainingSeconds: remainingSeconds ?? latest.remainingSeconds,
      memory: line.memory ?? latest.memory,
    },
  };
}

/** Adds the measures of one line. */
export function addMeasures(series: Training['series'], { measures, step }: TrainingLine): Training['series'] {
  const said = FOLLOWED_MEASURES.flatMap((name) => {
    const value = measures[name];
    if (value === undefined) return [];
    const next = addValue(series[name] ?? NO_SERIES, SERIES_LAWS[name], parseNumber(value), step?.value ?? null);
    return [[name, next] as const];
  });
  return said.length === 0 ? series : { ...series, ...Object.fromEntries(said) };
}

/** Parses a printed value; `nan` and `inf`, which trainers print, become NaN. */
export function parseNumber(printed: string): number {
  return /\d/.test(printed) ? Number(printed) : Number.NaN;
}

/** Keeps the newest values; they determine the speed of an observation. */
function keepRecent(values: readonly number[], value: number | null): readonly number[] {
  if (value === null) return values;
  return values.length < KEPT_MAX ? [...values, value] : [...values.slice(1), value];
}

const KEPT_MAX = 64;
const MOVED_KEPT = 3;

/** The speed in this observation: the median of its lines; undefined without any value. */
export function medianPace({ latest }: Training): Pace | undefined {
  const secondsPerStep = median(latest.secondsPerStep);
  const tokensPerSecond = median(latest.tokensPerSecond);
  const { remainingSeconds, memory } = latest;
  const use = median(latest.use);
  const isSilent = secondsPerStep === null && tokensPerSecond === null && remainingSeconds === null;
  if (isSilent && use === null && memory === null) return undefined;
  return omitUndefined({
    secondsPerStep: secondsPerStep === null ? null : formatDecimal(secondsPerStep),
    tokensPerSecond: tokensPerSecond === null ? null : formatDecimal(tokensPerSecond),
    remainingSeconds,
    usePercent: use === null ? undefined : formatDecimal(Math.round(use)),
    memory: memory ?? undefined,
  });
}

/** Formats a decimal for the record, with six significant digits. */
export function formatDecimal(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Whether the loss is NaN, or the gradients of several lines are. A search for a loss scale may produce one such gradient. */
export function isLossNotFinite({ measures }: TrainingLine, { series }: Training): boolean {
  const loss = measures.loss === undefined ? null : parseNumber(measures.loss);
  const gradient = measures['grad-norm'];
  const isGradientLost = gradient !== undefined && Number.isNaN(parseNumber(gradient));
  if (loss !== null && Number.isNaN(loss)) return true;
  return isGradientLost && (loss === 0 || (series['grad-norm']?.notFinite ?? 0) >= GRADIENTS_LOST);
}

const GRADIENTS_LOST = 3;
