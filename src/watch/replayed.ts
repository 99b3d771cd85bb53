/** Steps that are made a second time, after a run went back to a checkpoint: the loss of both, side by side. */

import type { Replayed } from '../detectors/evidence.ts';
import type { ReplayedStep } from '../domain/logbook/events/job-events.ts';
import type { TracePoint } from '../domain/logbook/run-state.ts';
import type { TrainingLine } from './training-line.ts';

export type Replay = {
  /** Of the line of training that this one goes on from, by step; null where it goes on from none. */
  readonly past: ReadonlyMap<number, string> | null;
  readonly pairs: readonly ReplayedStep[];
  /** What this log has said so far, thinned: of which every `stride`-th step is kept. */
  readonly recent: readonly TracePoint[];
  readonly stride: number;
};

export const NO_REPLAY: Replay = { past: null, pairs: [], recent: [], stride: 1 };

/** The course of an attempt before this one, where its steps are exact. */
export function replayOf(trace: readonly TracePoint[]): Replay {
  return trace.length === 0 ? NO_REPLAY : { ...NO_REPLAY, past: byStep(trace) };
}

/** The log says that a checkpoint is loaded: what it has made before may come again. */
export function goneBack(replay: Replay): Replay {
  return replay.recent.length === 0
    ? replay
    : { ...replay, past: byStep(replay.recent), recent: [], stride: 1 };
}

function byStep(trace: readonly TracePoint[]): ReadonlyMap<number, string> {
  return new Map(trace.map(({ step, loss }) => [step, loss]));
}

/** Adds a line whose step is exact. */
export function addReplayed(replay: Replay, { step, measures: { loss } }: TrainingLine): Replay {
  if (step?.exact !== true || loss === undefined) return replay;
  const { value } = step;
  const next = withRecent(replay, { step: value, loss });
  const before = replay.past?.get(value);
  const isKnown = replay.pairs.some((pair) => pair.step === value);
  if (before === undefined || isKnown || replay.pairs.length >= PAIRS_MAX) return next;
  return { ...next, pairs: [...replay.pairs, { step: value, before, after: loss }] };
}

const PAIRS_MAX = 20;
const RECENT_MAX = 256;

function withRecent(replay: Replay, point: TracePoint): Replay {
  if (point.step % replay.stride !== 0) return replay;
  const longer = [...replay.recent, point];
  if (longer.length <= RECENT_MAX) return { ...replay, recent: longer };
  const stride = replay.stride * 2;
  return { ...replay, stride, recent: longer.filter(({ step }) => step % stride === 0) };
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
