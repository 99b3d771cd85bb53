/** Detectors that ask the measures of training: the loss, gradients, and what else is followed from step to step. */

import type { TracePoint } from '../domain/logbook/run-state.ts';
import {
  alarm,
  cannotTell,
  type Evidence,
  type Finding,
  type Followed,
  type Judge,
  medianOf,
  QUIET,
  type Replayed,
  SERIES_LAWS,
  told,
  type Witness,
} from './detector.ts';

/** Whether one of these measures has left its trend for as long as its law says; nobody can tell before the warm-up is over. */
function seriesJudge(witness: Witness, names: readonly Followed[]): Judge {
  return ({ series }) => {
    const known = names.flatMap((name) => {
      const one = series[name];
      return one === undefined ? [] : [{ name, ...one, law: SERIES_LAWS[name] }];
    });
    for (const { name, met } of known)
      if (met !== null)
        return alarm(`${name}-${met.from ?? ''}`, {
          seen: told(met.peak),
          bound: told(met.trend),
          step: met.from === null ? `${met.values} values` : `${met.from}-${met.to ?? met.from}`,
        });
    return known.some(({ values, law }) => values > law.warmUpValues) ? QUIET : cannotTell(witness);
  };
}

/** A loss that is half above its trend for about ten steps. */
export const lossSpike = seriesJudge('loss', ['loss']);

/** Gradients that have exploded. */
export const gradientNorm = seriesJudge('measures', ['grad-norm']);

/** A z-loss that grows at once: the logits run away before the loss shows it. */
export const zLoss = seriesJudge('measures', ['z-loss']);

/** Experts of which few get all the tokens. */
export const routerCollapse = seriesJudge('measures', ['router-entropy', 'expert-load']);

/** A loss, or gradients, that are no numbers any more. At once, in the warm-up too: what is lost does not come back. A gradient that is skipped once by a loss scale is none. */
export function nan({ isLossLost, series, step }: Evidence): Finding {
  if (isLossLost)
    return alarm('lost', { seen: 'nan', ...(step === null ? {} : { step: String(step.value) }) });
  return series.loss === undefined ? cannotTell('loss') : QUIET;
}

export const LOSS_DIVERGENCE_LIMITS = {
  /** Half above, as a spike has to be: what data of another kind costs is less. */
  factor: 1.5,
  /** Nearer to nothing than this a loss of preferences or of a policy begins, and grows by design. */
  least: 0.5,
} as const;

/** A loss that climbs too slowly for its trend to be left, until all that was learned is lost. The trend is half above the least that it has been since the warm-up. */
export function lossDivergence({ series: { loss } }: Evidence): Finding {
  if (loss?.trend == null || loss.lowest === null) return cannotTell('loss');
  const { factor, least } = LOSS_DIVERGENCE_LIMITS;
  if (loss.lowest < least || loss.trend < factor * loss.lowest) return QUIET;
  return alarm('loss', { seen: told(loss.trend), bound: told(loss.lowest) });
}

const REGRESSION_LIMITS = {
  runs: 5,
  /** Fewer say nothing about what is usual. */
  runsMin: 3,
  /** Above the worst of them: what a changed knob may cost is for people to judge, and this is more than noise. */
  factor: 1.05,
  /** The trend of a loss lags behind it while it falls quickly. */
  warmUpValues: 20,
  /** How near two steps have to be to be compared, as a share of the step. */
  nearness: 0.05,
  /** Of its own first eval: evals differ by less from one to the next. */
  wrongWay: 0.02,
} as const;

/** A run that learns worse than the lane's last five did at the same step, or whose objective goes the wrong way from its first eval on. */
export function regression({ step, series, lane, objective }: Evidence): Finding {
  const wrong = objective === null ? null : wrongWay(objective);
  if (wrong !== null) return wrong;
  if (lane === null) return cannotTell('lane');
  const { loss } = series;
  if (
    step === null ||
    loss === undefined ||
    loss.trend === null ||
    loss.values <= REGRESSION_LIMITS.warmUpValues
  )
    return cannotTell('loss');
  const { value } = step;
  const theirs = lane.slice(0, REGRESSION_LIMITS.runs).flatMap((trace) => lossAt(trace, value) ?? []);
  if (theirs.length < REGRESSION_LIMITS.runsMin) return cannotTell('lane');
  const worst = Math.max(...theirs);
  if (loss.trend <= REGRESSION_LIMITS.factor * worst) return QUIET;
  return alarm('worse', { seen: told(loss.trend), bound: told(worst), step: String(value) });
}

/** Two evals one after the other that are worse than the first: one alone is noise. */
function wrongWay({ key, better, first, before, now }: NonNullable<Evidence['objective']>): Finding | null {
  const most = REGRESSION_LIMITS.wrongWay * Math.abs(first);
  const isWorse = (value: number): boolean => (better === 'lower' ? value - first : first - value) > most;
  // rule VA-19
  if (before === now || !isWorse(before) || !isWorse(now)) return null;
  return alarm('objective', { seen: `${key} ${told(now)}`, bound: told(first) });
}

function lossAt(trace: readonly TracePoint[], step: number): number | null {
  const near = trace
    .filter((point) => Math.abs(point.step - step) <= REGRESSION_LIMITS.nearness * step)
    .toSorted((a, b) => Math.abs(a.step - step) - Math.abs(b.step - step));
  const loss = Number(near[0]?.loss ?? Number.NaN);
  return Number.isFinite(loss) ? loss : null;
}

const RESUME_LIMITS = {
  /** In catch-up, where the same steps are made again: TPUs make them bit by bit. */
  catchUp: 0.002,
  /** Where a loss is printed too coarsely for that. */
  relative: 0.01,
  /** One step alone may be a line of another rank. */
  steps: 3,
} as const;

/** So many of the steps that are made again count as catch-up; what moves apart later may do so by one per cent. */
export const CATCH_UP_PAIRS = 20;

/** A run that was resumed and makes other steps than the run that it goes on from. The middle of the differences counts. Three digits of a bar cannot show 0.002, and nothing shows less than its own last digit. */
export function resumeMismatch({ replayed }: Evidence): Finding {
  if (replayed === null) return QUIET;
  const [first, later] = [replayed.slice(0, CATCH_UP_PAIRS), replayed.slice(CATCH_UP_PAIRS)];
  const fine = first.filter(({ resolution }) => resolution < RESUME_LIMITS.catchUp);
  if (fine.length < RESUME_LIMITS.steps) return atMost(replayed.filter(isCoarse), 'relative');
  const found = atMost(fine, 'catchUp');
  const behind = later.filter(isCoarse);
  if (found.kind !== 'quiet' || behind.length < RESUME_LIMITS.steps) return found;
  // The newest of them are kept alone: their first step is another at each look.
  return atMost(behind, 'relative', 'later');
}

function isCoarse({ before, resolution }: Replayed): boolean {
  return resolution < RESUME_LIMITS.relative * Math.abs(before);
}

/** Held against the one law or the other. */
function atMost(
  used: readonly Replayed[],
  law: 'catchUp' | 'relative',
  since: string | number = used[0]?.step ?? 0,
): Finding {
  if (used.length < RESUME_LIMITS.steps) return cannotTell('loss');
  const difference = medianOf(used.map(({ before, after }) => Math.abs(after - before))) ?? 0;
  const level = medianOf(used.map(({ before }) => Math.abs(before))) ?? 0;
  const bound = law === 'catchUp' ? RESUME_LIMITS.catchUp : RESUME_LIMITS.relative * level;
  // rule HR-46
  if (difference <= bound) return QUIET;
  const [first] = used;
  return alarm(since, {
    seen: told(difference),
    bound: told(bound),
    step: `${first?.step}-${used.at(-1)?.step}`,
  });
}
