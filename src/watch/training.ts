/** What the training lines of a log come to: how fast it goes, and the course of what it measures. */

import {
  addValue,
  FOLLOWED,
  type Followed,
  medianOf,
  NO_SERIES,
  SERIES_LAWS,
  type Series,
} from '../detectors/series.ts';
import type { TrainingLine } from '../diagnosis/training-line.ts';
import type { Pace } from '../domain/logbook/events/job-events.ts';
import { present } from '../domain/present.ts';
import { addReplayed, NO_REPLAY, type Replay } from './replayed.ts';

export type Training = {
  readonly series: { readonly [Name in Followed]?: Series };
  readonly replay: Replay;
  /** Of this look alone. */
  readonly look: {
    readonly lines: number;
    /** Lines whose step is another than the one before. */
    readonly moves: number;
    /** The newest few of them, by their number in the log. */
    readonly movedLines: readonly number[];
    readonly secondsPerStep: readonly number[];
    readonly tokensPerSecond: readonly number[];
    readonly use: readonly number[];
    readonly remainingSeconds: number | null;
    /** The newest. */
    readonly memory: string | null;
  };
};

const NO_LOOK: Training['look'] = {
  lines: 0,
  moves: 0,
  movedLines: [],
  secondsPerStep: [],
  tokensPerSecond: [],
  use: [],
  remainingSeconds: null,
  memory: null,
};
export const NO_TRAINING: Training = { series: {}, replay: NO_REPLAY, look: NO_LOOK };

/** Adds one line; `movedAt`: its number, where its step is another than the one before. */
export function addTrainingLine(training: Training, line: TrainingLine, movedAt: number | null): Training {
  const { look } = training;
  const { secondsPerStep, tokensPerSecond, remainingSeconds, measures } = line;
  const use = Number(measures['gpu-use'] ?? Number.NaN);
  return {
    series: withMeasures(training.series, line),
    replay: addReplayed(training.replay, line),
    look: {
      lines: look.lines + 1,
      moves: look.moves + (movedAt === null ? 0 : 1),
      movedLines: movedAt === null ? look.movedLines : [...look.movedLines, movedAt].slice(-MOVED_KEPT),
      secondsPerStep: kept(look.secondsPerStep, secondsPerStep),
      tokensPerSecond: kept(look.tokensPerSecond, tokensPerSecond),
      use: kept(look.use, Number.isFinite(use) ? use : null),
      remainingSeconds: remainingSeconds ?? look.remainingSeconds,
      memory: line.memory ?? look.memory,
    },
  };
}

function withMeasures(series: Training['series'], { measures, step }: TrainingLine): Training['series'] {
  const said = FOLLOWED.flatMap((name) => {
    const value = measures[name];
    if (value === undefined) return [];
    const next = addValue(series[name] ?? NO_SERIES, SERIES_LAWS[name], numberOf(value), step?.value ?? null);
    return [[name, next] as const];
  });
  return said.length === 0 ? series : { ...series, ...Object.fromEntries(said) };
}

/** `nan` and `inf` as trainers print them are no numbers. */
export function numberOf(printed: string): number {
  return /\d/.test(printed) ? Number(printed) : Number.NaN;
}

/** The newest so many say how fast a look was. */
function kept(values: readonly number[], value: number | null): readonly number[] {
  if (value === null) return values;
  return values.length < KEPT_MAX ? [...values, value] : [...values.slice(1), value];
}

const KEPT_MAX = 64;
const MOVED_KEPT = 3;

/** How fast it went in this look: the middle of what its lines say. Nothing where they say nothing. */
export function paceOf({ look }: Training): Pace | undefined {
  const secondsPerStep = medianOf(look.secondsPerStep);
  const tokensPerSecond = medianOf(look.tokensPerSecond);
  const { remainingSeconds, memory } = look;
  const use = medianOf(look.use);
  const isSilent = secondsPerStep === null && tokensPerSecond === null && remainingSeconds === null;
  if (isSilent && use === null && memory === null) return undefined;
  return present({
    secondsPerStep: secondsPerStep === null ? null : decimal(secondsPerStep),
    tokensPerSecond: tokensPerSecond === null ? null : decimal(tokensPerSecond),
    remainingSeconds,
    usePercent: use === null ? undefined : decimal(Math.round(use)),
    memory: memory ?? undefined,
  });
}

/** A decimal for the record, in as many digits as matter. */
export function decimal(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Whether training has lost its numbers: the loss is none, or the gradients of several lines, which a loss scale that is looked for may do once. */
export function isNotFinite({ measures }: TrainingLine, { series }: Training): boolean {
  const loss = measures.loss === undefined ? null : numberOf(measures.loss);
  const gradient = measures['grad-norm'];
  const isGradientLost = gradient !== undefined && Number.isNaN(numberOf(gradient));
  if (loss !== null && Number.isNaN(loss)) return true;
  return isGradientLost && (loss === 0 || (series['grad-norm']?.notFinite ?? 0) >= GRADIENTS_LOST);
}

const GRADIENTS_LOST = 3;
