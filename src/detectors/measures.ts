/** Detectors for training measures: the loss, gradients, and other values that are tracked over steps. */

import type { TracePoint } from '../domain/logbook/run-state.ts';
import { formatNumber } from '../domain/values.ts';
import {
  cannotTell,
  type Detector,
  type Evidence,
  type Finding,
  type FollowedMeasure,
  median,
  QUIET,
  type Replayed,
  raise,
  SERIES_LAWS,
  type Witness,
} from './detector.ts';

/** Alarms if a measure left its trend for as long as its law requires. Until the warm-up ends, the result is `cannot-tell`. */
function createSeriesDetector(witness: Witness, names: readonly FollowedMeasure[]): Detector {
  return ({ series }) => {
    const known = names.flatMap((name) => {
      const one = series[name];
      return one === undefined ? [] : [{ name, ...one, law: SERIES_LAWS[name] }];
    });
    for (const { name, lastStreak } of known)
      if (lastStreak !== null)
        return raise(`${name}-${lastStreak.from ?? ''}`, {
          seen: formatNumber(lastStreak.peak),
          bound: formatNumber(lastStreak.trend),
          step:
            lastStreak.from === null
              ? `${lastStreak.values} values`
              : `${lastStreak.from}-${lastStreak.to ?? lastStreak.from}`,
        });
    return known.some(({ values, law }) => values > law.warmUpValues) ? QUIET : cannotTell(witness);
  };
}

/** A loss that is half above its trend for about ten steps. */
export const detectLossSpike = createSeriesDetector('loss', ['loss']);

/** Exploding gradients. */
export const detectGradientNorm = createSeriesDetector('measures', ['grad-norm']);

/** A sudden rise of the z-loss: the logits diverge before the loss shows it. */
export const detectZLoss = createSeriesDetector('measures', ['z-loss']);

/** A router that sends nearly all tokens to few experts. */
export const detectRouterCollapse = createSeriesDetector('measures', ['balance-loss', 'router-entropy', 'expert-load']);

/** A NaN loss or gradient. Alarms immediately, even in the warm-up: training cannot recover. A loss scale may skip one gradient. */
export function detectNan({ isLossMissing, series, step }: Evidence): Finding {
  if (isLossMissing) return raise('lost', { seen: 'nan', ...(step === null ? {} : { step: String(step.value) }) });
  return series.loss === undefined ? cannotTell('loss') : QUIET;
}

export const LOSS_DIVERGENCE_LIMITS = {
  /** Half above, like a spike: a change of data costs less. */
  factor: 1.5,
  /** Preference and policy losses start closer to zero than this and grow by design. */
  least: 0.5,
} as const;

/** A slow divergence, which never leaves its own trend. Compares the trend with its lowest value since the warm-up. */
export function detectLossDivergence({ series: { loss } }: Evidence): Finding {
  if (loss?.trend == null || loss.lowest === null) return cannotTell('loss');
  const { factor, least } = LOSS_DIVERGENCE_LIMITS;
  if (loss.lowest < least || loss.trend < factor * loss.lowest) return QUIET;
  return raise('loss', { seen: formatNumber(loss.trend), bound: formatNumber(loss.lowest) });
}

const REGRESSION_LIMITS = {
  runs: 5,
  /** Fewer runs do not show what is usual. */
  runsMin: 3,
  /** Above the worst run. This exceeds noise; people decide what a changed knob may cost. */
  factor: 1.05,
  /** While a loss falls quickly, its trend lags behind. */
  warmUpValues: 20,
  /** The greatest distance between two comparable steps, as a share of the step. */
  nearness: 0.05,
  /** A share of the run's first eval: consecutive evals differ by less. */
  wrongWay: 0.02,
} as const;

/** Alarms if the run learns worse than the lane's last five at the same step, or its objective worsens after the first eval. */
export function detectRegression({ step, series, lane, objective }: Evidence): Finding {
  const wrong = objective === null ? null : findWorse(objective);
  if (wrong !== null) return wrong;
  if (lane === null) return cannotTell('lane');
  const { loss } = series;
  if (step === null || loss === undefined || loss.trend === null || loss.values <= REGRESSION_LIMITS.warmUpValues)
    return cannotTell('loss');
  const { value } = step;
  const theirs = lane.slice(0, REGRESSION_LIMITS.runs).flatMap((trace) => lossAtStep(trace, value) ?? []);
  if (theirs.length < REGRESSION_LIMITS.runsMin) return cannotTell('lane');
  const worst = Math.max(...theirs);
  if (loss.trend <= REGRESSION_LIMITS.factor * worst) return QUIET;
  return raise('worse', { seen: formatNumber(loss.trend), bound: formatNumber(worst), step: String(value) });
}

/** Requires two consecutive evals worse than the first, because one may be noise. */
function findWorse({ key, better, first, before, now }: NonNullable<Evidence['objective']>): Finding | null {
  const most = REGRESSION_LIMITS.wrongWay * Math.abs(first);
  const isWorse = (value: number): boolean => (better === 'lower' ? value - first : first - value) > most;
  // rule VA-19
  if (before === now || !isWorse(before) || !isWorse(now)) return null;
  return raise('objective', { seen: `${key} ${formatNumber(now)}`, bound: formatNumber(first) });
}

function lossAtStep(trace: readonly TracePoint[], step: number): number | null {
  const near = trace
    .filter((point) => Math.abs(point.step - step) <= REGRESSION_LIMITS.nearness * step)
    .toSorted((a, b) => Math.abs(a.step - step) - Math.abs(b.step - step));
  const loss = Number(near[0]?.loss ?? Number.NaN);
  return Number.isFinite(loss) ? loss : null;
}

const RESUME_LIMITS = {
  /** For catch-up steps, which repeat earlier ones: TPUs reproduce them bit by bit. */
  catchUp: 0.002,
  /** For a loss printed too coarsely for `catchUp`. */
  relative: 0.01,
  /** A single step may come from another rank's line. */
  steps: 3,
} as const;

/** The number of repeated steps that count as catch-up; later steps may differ by one per cent. */
export const CATCH_UP_PAIRS = 20;

/** A resumed run whose losses differ, by the median. Three digits of a bar cannot show 0.002, so coarse values use `relative`. */
export function detectResumeMismatch({ replayed }: Evidence): Finding {
  if (replayed === null) return QUIET;
  const [first, later] = [replayed.slice(0, CATCH_UP_PAIRS), replayed.slice(CATCH_UP_PAIRS)];
  const fine = first.filter(({ resolution }) => resolution < RESUME_LIMITS.catchUp);
  if (fine.length < RESUME_LIMITS.steps) return findMismatch(replayed.filter(isTooCoarse), 'relative');
  const found = findMismatch(fine, 'catchUp');
  const behind = later.filter(isTooCoarse);
  if (found.kind !== 'quiet' || behind.length < RESUME_LIMITS.steps) return found;
  // Only the newest pairs are kept, so their first step changes with each observation. Use a fixed occasion.
  return findMismatch(behind, 'relative', 'later');
}

function isTooCoarse({ before, resolution }: Replayed): boolean {
  return resolution < RESUME_LIMITS.relative * Math.abs(before);
}

/** Applies one of the two laws. */
function findMismatch(
  used: readonly Replayed[],
  law: 'catchUp' | 'relative',
  since: string | number = used[0]?.step ?? 0,
): Finding {
  if (used.length < RESUME_LIMITS.steps) return cannotTell('loss');
  const difference = median(used.map(({ before, after }) => Math.abs(after - before))) ?? 0;
  const level = median(used.map(({ before }) => Math.abs(before))) ?? 0;
  const bound = law === 'catchUp' ? RESUME_LIMITS.catchUp : RESUME_LIMITS.relative * level;
  // rule HR-46
  if (difference <= bound) return QUIET;
  const [first] = used;
  return raise(since, {
    seen: formatNumber(difference),
    bound: formatNumber(bound),
    step: `${first?.step}-${used.at(-1)?.step}`,
  });
}
