/** A run's recorded lineage: where each attempt resumed, what it wrote, and what people rejected. */

import { folderName, namedStep, type StorePath } from '../domain/checkpoint/stored.ts';
import type { Instant } from '../domain/ids.ts';
import { pastAttempt } from '../domain/launch/next-attempt.ts';
import type {
  Ending,
  IssuedOrder,
  Observation,
  RejectedCheckpoint,
  RunState,
} from '../domain/logbook/run-state.ts';
import { withoutEndSlashes } from '../domain/text.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { Lineage, WritingAttempt } from './standing.ts';

export type RecordedAttempt = WritingAttempt & {
  /** The loaded checkpoint from the log or the manifest; null for a start from scratch, or if unknown. */
  readonly startedFrom: StorePath | null;
  /** The attempt of this run that wrote it, or null. */
  readonly parent: number | null;
  /** The newest checkpoint in its log. */
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

/** From the record alone. */
export function lineageOf(state: RunState): RecordedLineage {
  const current = pastAttempt(state) ?? underWay(state);
  const all: readonly Parts[] = current === null ? state.attempts : [...state.attempts, current];
  const attempts: RecordedAttempt[] = [];
  for (const parts of all) attempts.push(recorded(parts, attempts));
  return { attempts, rejections: state.rejections };
}

/** For the rule in docs/checkpoints.md. */
export function lineageFor(state: RunState): Lineage {
  const { attempts, rejections } = lineageOf(state);
  return { attempts, rejections: rejections.map(({ step, at }) => ({ step, at: moment(at) })) };
}

/** A job may write from the claim on, whatever happened to its submission. */
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

/** A later attempt may have resumed from any checkpoint it found. */
function startWithout(before: readonly RecordedAttempt[]): number | null {
  return before.length === 0 ? 0 : null;
}

/** The newest earlier attempt that reached the step. */
function parentOf(before: readonly RecordedAttempt[], step: number | null): number | null {
  if (step === null) return null;
  return before.findLast(({ newestStep }) => newestStep !== null && newestStep >= step)?.attempt ?? null;
}

/** Checkpoints that this run's attempts started from or its manifests name. */
export function sourcesOf(state: RunState): readonly StorePath[] {
  // The gated manifest may be launched soon.
  const named = [...state.attempts.map(({ order }) => order), state.order, state.gate];
  const manifests = named.flatMap((one) => one?.manifest?.resume.initializeFrom ?? []);
  const started = lineageOf(state).attempts.flatMap(({ startedFrom }) => startedFrom ?? []);
  return [...new Set([...manifests, ...started].map((path) => withoutEndSlashes(path)))];
}

/** `step 1200`, or the last path segment. */
export function checkpointName(path: StorePath): string {
  const step = namedStep(path);
  return step === null ? folderName(path) : `step ${step}`;
}

function moment(at: string): Instant {
  const instant = fromRfc3339(at);
  if (instant === null) throw new Error('a recorded entry carries a valid time');
  return instant;
}
