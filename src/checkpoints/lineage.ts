/** A run's recorded lineage: where each attempt resumed, what it wrote, and what people rejected. */

import { lastPathPart, namedStep, type StorePath } from '../domain/checkpoint/stored.ts';
import { lastEnded } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import type { Ending, IssuedOrder, Observation, RejectedCheckpoint, RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339, type Instant, withoutEndSlashes } from '../domain/values.ts';

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

type AttemptParts = {
  readonly order: IssuedOrder;
  readonly observation: Observation | null;
  readonly end: Ending | null;
};

/** Reads only the record. */
export function buildRecordedLineage(state: RunState): RecordedLineage {
  const current = lastEnded(state) ?? currentAttempt(state);
  const all: readonly AttemptParts[] = current === null ? state.attempts : [...state.attempts, current];
  const attempts: RecordedAttempt[] = [];
  for (const parts of all) attempts.push(toRecordedAttempt(parts, attempts));
  return { attempts, rejections: state.rejections };
}

/** The lineage in the form that the rule in docs/checkpoints.md uses. */
export function buildLineage(state: RunState): Lineage {
  const { attempts, rejections } = buildRecordedLineage(state);
  return { attempts, rejections: rejections.map(({ step, at }) => ({ step, at: parseInstant(at) })) };
}

/** From the claim on, a job may write, unless the order failed. */
function currentAttempt({ order, observation, end }: RunState): AttemptParts | null {
  return order === null || order.claim === null || order.status === 'failed' ? null : { order, observation, end };
}

function toRecordedAttempt(
  { order, observation, end }: AttemptParts,
  before: readonly RecordedAttempt[],
): RecordedAttempt {
  const from = parseInstant(order.claim?.at ?? order.at);
  const told = order.order.checkpoint ?? null;
  const startedFrom = observation?.resumedFrom ?? told?.path ?? order.manifest?.resume.initializeFrom ?? null;
  const startStep =
    startedFrom === null
      ? defaultStartStep(before)
      : startedFrom === told?.path
        ? told.step
        : namedStep(withoutEndSlashes(startedFrom));
  return {
    attempt: order.order.attempt,
    from,
    until: end === null ? null : parseInstant(end.at),
    startStep,
    ...(told !== null && startedFrom === told.path ? { isFromOrder: true } : {}),
    startedFrom,
    parent: startedFrom === null ? null : findParentAttempt(before, startStep),
    newestStep: end?.checkpointStep ?? observation?.checkpointStep ?? null,
    status: end?.status ?? observation?.status ?? 'CLAIMED',
  };
}

/** A later attempt may have resumed from any checkpoint it found. */
function defaultStartStep(before: readonly RecordedAttempt[]): number | null {
  return before.length === 0 ? 0 : null;
}

/** The newest earlier attempt that reached the step. */
function findParentAttempt(before: readonly RecordedAttempt[], step: number | null): number | null {
  if (step === null) return null;
  return before.findLast(({ newestStep }) => newestStep !== null && newestStep >= step)?.attempt ?? null;
}

/** Checkpoints that this run's attempts started from or its manifests name. */
export function listStartCheckpoints(state: RunState): readonly StorePath[] {
  // The gated manifest may be launched soon.
  const named = [...state.attempts.map(({ order }) => order), state.order, state.gate];
  const manifests = named.flatMap((one) => one?.manifest?.resume.initializeFrom ?? []);
  const started = buildRecordedLineage(state).attempts.flatMap(({ startedFrom }) => startedFrom ?? []);
  return [...new Set([...manifests, ...started].map((path) => withoutEndSlashes(path)))];
}

/** `step 1200`, or the last path segment. */
export function checkpointName(path: StorePath): string {
  const step = namedStep(path);
  return step === null ? lastPathPart(path) : `step ${step}`;
}

function parseInstant(at: string): Instant {
  const instant = fromRfc3339(at);
  if (instant === null) throw new Error('a recorded entry carries a valid time');
  return instant;
}

export type WritingAttempt = {
  readonly attempt: number;
  /** When the runner claimed the order. */
  readonly from: Instant;
  /** Its end; null while it may still write. */
  readonly until: Instant | null;
  /** The step it resumed from, 0 from scratch; null if unknown. */
  readonly startStep: number | null;
  /** The order named the checkpoint, so the rule allowed it at the claim. */
  readonly isFromOrder?: true;
};

export type Rejection = { readonly step: number; readonly at: Instant };

/** One run's attempts in order. */
export type Lineage = { readonly attempts: readonly WritingAttempt[]; readonly rejections: readonly Rejection[] };

export type LineageStanding = {
  readonly status: 'eligible' | 'foreign' | 'rejected' | 'unvalidated';
  readonly attempt: number | null;
};

/** `foreign`: no attempt was writing then. `unvalidated`: possibly derived from a rejected checkpoint. */
export function judgeLineage(
  { attempts, rejections }: Lineage,
  { step, writtenAt }: { readonly step: number; readonly writtenAt: Instant },
): LineageStanding {
  const index = attempts.findIndex((_, at) => wasWriting(attempts, at, writtenAt));
  const writer = attempts[index];
  if (writer === undefined) return { status: 'foreign', attempt: null };
  const { attempt } = writer;
  const said = rejections.filter((one) => step >= one.step).map((one) => taintFromRejection(writer, one));
  // rule HR-59
  if (said.includes('rejected')) return { status: 'rejected', attempt };
  return { status: said.includes('unknown') ? 'unvalidated' : 'eligible', attempt };
}

/** From shortly before the claim to shortly after the end, without overlapping the next attempt. */
function wasWriting(attempts: readonly WritingAttempt[], at: number, writtenAt: Instant): boolean {
  const one = attempts[at];
  if (one === undefined) return false;
  const next = attempts[at + 1]?.from ?? Number.POSITIVE_INFINITY;
  const before = attempts[at - 1]?.until ?? Number.NEGATIVE_INFINITY;
  const from = Math.max(one.from - limits.lineageSlackMs, Math.min(before, one.from));
  const until = one.until === null ? next : Math.min(one.until + limits.lineageSlackMs, next);
  return writtenAt >= from && writtenAt < until;
}

/**
 * Rejected if the attempt started before the rejection, or resumed at or after the rejected step on its own. Clean if it resumed earlier,
 * or from a checkpoint that its order named, because the rule allowed that after the rejection.
 */
function taintFromRejection(
  { from, startStep, isFromOrder }: WritingAttempt,
  { step, at }: Rejection,
): 'rejected' | 'clean' | 'unknown' {
  if (from <= at) return 'rejected';
  if (startStep === null) return 'unknown';
  return startStep >= step && isFromOrder !== true ? 'rejected' : 'clean';
}
