/** A run that learns worse than the lane's last five did at the same step, or whose objective goes the wrong way from its first eval on. */

import type { TracePoint } from '../domain/logbook/run-state.ts';
import { alarm, cannotTell, type Detector, type Finding, QUIET, told } from './detector.ts';
import type { Evidence } from './evidence.ts';

const limits = {
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

export const regression: Detector = {
  id: 'regression',
  witness: ['loss', 'lane'],
  limits,
  judge: ({ step, series, lane, objective }) => {
    const wrong = objective === null ? null : wrongWay(objective);
    if (wrong !== null) return wrong;
    if (lane === null) return cannotTell('lane');
    const { loss } = series;
    if (step === null || loss === undefined || loss.trend === null || loss.values <= limits.warmUpValues)
      return cannotTell('loss');
    const { value } = step;
    const theirs = lane.slice(0, limits.runs).flatMap((trace) => lossAt(trace, value) ?? []);
    if (theirs.length < limits.runsMin) return cannotTell('lane');
    const worst = Math.max(...theirs);
    if (loss.trend <= limits.factor * worst) return QUIET;
    return alarm('worse', { seen: told(loss.trend), bound: told(worst), step: String(value) });
  },
};

/** Two evals one after the other that are worse than the first: one alone is noise. */
function wrongWay({ key, better, first, before, now }: NonNullable<Evidence['objective']>): Finding | null {
  const most = limits.wrongWay * Math.abs(first);
  const isWorse = (value: number): boolean => (better === 'lower' ? value - first : first - value) > most;
  // rule VA-19
  if (before === now || !isWorse(before) || !isWorse(now)) return null;
  return alarm('objective', { seen: `${key} ${told(now)}`, bound: told(first) });
}

function lossAt(trace: readonly TracePoint[], step: number): number | null {
  const near = trace
    .filter((point) => Math.abs(point.step - step) <= limits.nearness * step)
    .toSorted((a, b) => Math.abs(a.step - step) - Math.abs(b.step - step));
  const loss = Number(near[0]?.loss ?? Number.NaN);
  return Number.isFinite(loss) ? loss : null;
}
