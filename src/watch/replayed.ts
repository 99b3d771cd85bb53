/** Steps that are made a second time, after a run went back to a checkpoint: the loss of both, side by side. */

import type { Replayed } from '../detectors/evidence.ts';
import { CATCH_UP_PAIRS } from '../detectors/measures.ts';
import type { TrainingLine } from '../diagnosis/training-line.ts';
import type { ReplayedStep } from '../domain/logbook/events/job-events.ts';
import type { TracePoint } from '../domain/logbook/run-state.ts';

export type Replay = {
  /** Of the line of training that this one goes on from, by step; null where it goes on from none. */
  readonly past: ReadonlyMap<number, string> | null;
  /** The job itself went back: what it made before stands in no attempt that is over. */
  readonly isOwnPast: boolean;
  readonly pairs: readonly ReplayedStep[];
  /** What this log has said so far, thinned: of which every `stride`-th step is kept. */
  readonly recent: readonly TracePoint[];
  readonly stride: number;
};

export const NO_REPLAY: Replay = { past: null, isOwnPast: false, pairs: [], recent: [], stride: 1 };

/** Steps whose loss was away from its trend: a run goes back so that they come out otherwise, and is not compared with them. */
type WentWrong = { readonly streak?: Stretch | null | undefined; readonly met?: Stretch | null | undefined };
type Stretch = { readonly from: number | null; readonly to: number | null };

/** The course of an attempt before this one, where its steps are exact. */
export function replayOf(trace: readonly TracePoint[], loss: WentWrong | undefined): Replay {
  return trace.length === 0 ? NO_REPLAY : { ...NO_REPLAY, past: byStep(trace, loss) };
}

/** The log says that a checkpoint is loaded: what it has made before may come again. */
export function goneBack(replay: Replay, loss: WentWrong | undefined): Replay {
  return replay.recent.length === 0
    ? replay
    : { ...replay, past: byStep(replay.recent, loss), isOwnPast: true, recent: [], stride: 1 };
}

/** What the job itself made before it went back, until it has come as far again: the next look compares with it too. */
export function ownPast({ past, isOwnPast, recent }: Replay): readonly TracePoint[] {
  const points = past === null || !isOwnPast ? [] : [...past].map(([at, loss]) => ({ step: at, loss }));
  const reached = recent.at(-1)?.step ?? 0;
  return points.some(({ step }) => step > reached) ? points : [];
}

function byStep(trace: readonly TracePoint[], { streak, met }: WentWrong = {}): ReadonlyMap<number, string> {
  const isIn = (step: number, wrong: Stretch | null | undefined): boolean =>
    wrong?.from != null && wrong.to !== null && step >= wrong.from && step <= wrong.to;
  const sound = trace.filter(({ step }) => !isIn(step, streak) && !isIn(step, met));
  return new Map(sound.map(({ step, loss }) => [step, loss]));
}

/** Adds a line whose step is exact. */
export function addReplayed(replay: Replay, { step, measures: { loss } }: TrainingLine): Replay {
  if (step?.exact !== true || loss === undefined) return replay;
  const { value } = step;
  const next = withRecent(replay, { step: value, loss });
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

/** The newest of those behind the catch-up. */
const LATER_MAX = 10;
const RECENT_MAX = 256;

function withRecent(replay: Replay, point: TracePoint): Replay {
  if (point.step % replay.stride !== 0) return replay;
  const longer = [...replay.recent, point];
  if (longer.length <= RECENT_MAX) return { ...replay, recent: longer };
  const stride = replay.stride * 2;
  return { ...replay, stride, recent: longer.filter(({ step }) => step % stride === 0) };
}

/** At most so many of them, equally far apart, the newest among them. */
export function evenly(points: readonly TracePoint[], most: number): readonly TracePoint[] {
  const stride = Math.ceil(points.length / most);
  return points.filter((_, index) => (points.length - 1 - index) % stride === 0);
}

/** The same as numbers, with what the coarser of both can show. */
export function comparedOf(pairs: readonly ReplayedStep[]): readonly Replayed[] {
  return pairs.map(({ step, before, after }) => ({
    step,
    before: Number(before),
    after: Number(after),
    resolution: Math.max(resolutionOf(before), resolutionOf(after)),
  }));
}

/** What the last digit of a printed number is worth. */
export function resolutionOf(printed: string): number {
  const match = /^[-+]?\d{0,20}(?:\.(\d{0,20}))?(?:e([-+]?\d{1,4}))?$/i.exec(printed);
  if (match === null) return Number.POSITIVE_INFINITY;
  return 10 ** (Number(match[2] ?? 0) - (match[1] ?? '').length);
}
