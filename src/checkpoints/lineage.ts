/** The lineage of a run as its record tells it: which attempt went on from what, what it wrote, and what people rejected of it. */

import { folderName, namedStep, type StorePath } from '../domain/checkpoint/stored.ts';
import { withoutEndSlashes } from '../domain/end-slashes.ts';
import type { Instant } from '../domain/ids.ts';
import { pastAttempt } from '../domain/launch/next-attempt.ts';
import type {
  Ending,
  IssuedOrder,
  Observation,
  RejectedCheckpoint,
  RunState,
} from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { Lineage, WritingAttempt } from './standing.ts';

/** One attempt, for people and for whoever asks whose a checkpoint is. */
export type RecordedAttempt = WritingAttempt & {
  /** What its log says that it loaded, or what its manifest names; null where it began anew, or nobody knows. */
  readonly startedFrom: StorePath | null;
  /** The attempt that had written that; null where none of this run had. */
  readonly parent: number | null;
  /** The newest checkpoint that its log told of. */
  readonly newestStep: number | null;
  readonly status: Ending['status'] | Observation['status'] | 'CLAIMED';
};

export type RecordedLineage = {
  readonly attempts: readonly RecordedAttempt[];
  readonly rejections: readonly RejectedCheckpoint[];
};

type Parts = {
  readonly order: IssuedOrder;
  readonly observation: Observation | null;
  readonly end: Ending | null;
};

/** Attempts in their order, from the record alone. */
export function lineageOf(state: RunState): RecordedLineage {
  const current = pastAttempt(state) ?? underWay(state);
  const all: readonly Parts[] = current === null ? state.attempts : [...state.attempts, current];
  const attempts: RecordedAttempt[] = [];
  for (const parts of all) attempts.push(recorded(parts, attempts));
  return { attempts, rejections: state.rejections };
}

/** The same for the rule of docs/checkpoints.md. */
export function lineageFor(state: RunState): Lineage {
  const { attempts, rejections } = lineageOf(state);
  return { attempts, rejections: rejections.map(({ step, at }) => ({ step, at: moment(at) })) };
}

/** From the claim on a job may write, whatever became of its submission. */
function underWay({ order, observation, end }: RunState): Parts | null {
  return order === null || order.claim === null || order.status === 'failed'
    ? null
    : { order, observation, end };
}

function recorded({ order, observation, end }: Parts, before: readonly RecordedAttempt[]): RecordedAttempt {
  const from = moment(order.claim?.at ?? order.at);
  const told = order.order.checkpoint ?? null;
  const startedFrom = observation?.resumedFrom ?? told?.path ?? order.manifest?.resume.initializeFrom ?? null;
  const startStep =
    startedFrom === null
      ? startWithout(before)
      : startedFrom === told?.path
        ? told.step
        : namedStep(withoutEndSlashes(startedFrom));
  return {
    attempt: order.order.attempt,
    from,
    until: end === null ? null : moment(end.at),
    startStep,
    ...(told !== null && startedFrom === told.path ? { isChosen: true } : {}),
    startedFrom,
    parent: startedFrom === null ? null : parentOf(before, startStep),
    newestStep: end?.checkpointStep ?? observation?.checkpointStep ?? null,
    status: end?.status ?? observation?.status ?? 'CLAIMED',
  };
}

/** The first attempt had nothing to go on from; a later one may have gone on from anything that lay there. */
function startWithout(before: readonly RecordedAttempt[]): number | null {
  return before.length === 0 ? 0 : null;
}

/** The newest attempt before it that had come so far. */
function parentOf(before: readonly RecordedAttempt[], step: number | null): number | null {
  if (step === null) return null;
  return before.findLast(({ newestStep }) => newestStep !== null && newestStep >= step)?.attempt ?? null;
}

/** Checkpoints that this run rests on: its attempts started from them, or its manifests name them. */
export function sourcesOf(state: RunState): readonly StorePath[] {
  // What is gated now may be launched in a moment.
  const named = [...state.attempts.map(({ order }) => order), state.order, state.gate];
  const manifests = named.flatMap((one) => one?.manifest?.resume.initializeFrom ?? []);
  const started = lineageOf(state).attempts.flatMap(({ startedFrom }) => startedFrom ?? []);
  return [...new Set([...manifests, ...started].map((path) => withoutEndSlashes(path)))];
}

/** `step-1200` as people call it, or the last part of the path. */
export function checkpointName(path: StorePath): string {
  const step = namedStep(path);
  return step === null ? folderName(path) : `step ${step}`;
}

function moment(at: string): Instant {
  const instant = fromRfc3339(at);
  if (instant === null) throw new Error('a recorded entry carries a valid time');
  return instant;
}
