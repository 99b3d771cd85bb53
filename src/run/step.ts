/** One step of a reconciliation: it either records events or acts outside, never both. */

import { type Dispatch, dispatchesFor, type Effect, type EffectOutcome } from '../domain/effect.ts';
import type { RunFacts } from '../domain/facts.ts';
import { listHoldsOnRun } from '../domain/launch/hold.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import type { Role } from '../domain/logbook/parts.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type FactRequest, request } from '../domain/reconcile-request.ts';
import { fromRfc3339, type Instant } from '../domain/values.ts';
import type { LaneScopedConfig } from './lane.ts';

export type Step =
  /** `journal`: drafts for the repository journal in the same push. */
  | { readonly kind: 'append'; readonly drafts: readonly EventDraft[]; readonly journal: readonly EventDraft[] }
  /** `key` identifies the effect in this process's memory, so that it is not repeated before its result is visible. */
  | { readonly kind: 'perform'; readonly key: string; readonly effect: Effect }
  | FactRequest;

/** This process's attempts. A new process starts with none and reads the outside state. */
export type AttemptCache = {
  readonly outcomes: ReadonlyMap<string, EffectOutcome>;
  readonly tries: ReadonlyMap<string, number>;
  /** Sequence numbers that this process appended and publishes without waiting. */
  readonly appended: ReadonlySet<number>;
  /** Roles with events that this process publishes immediately; the runner never posts. */
  readonly publishesFor?: readonly Role[];
};

export type DeciderInput = {
  readonly state: RunState;
  readonly facts: RunFacts;
  readonly config: LaneScopedConfig;
  readonly now: Instant;
  readonly memory: AttemptCache;
};

export const NO_ATTEMPTS: AttemptCache = { outcomes: new Map(), tries: new Map(), appended: new Set() };

/** A step that records events in the run. */
export function append(...drafts: readonly EventDraft[]): Step {
  return { kind: 'append', drafts, journal: [] };
}

/** A step that acts outside. */
export function perform(key: string, effect: Effect): Step {
  return { kind: 'perform', key, effect };
}

/** Whether the effect may be tried: false if it is done, refused, or was tried `triesMax` times. */
export function canTry(memory: AttemptCache, key: string, triesMax: number): boolean {
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'done' || outcome?.kind === 'refused') return false;
  return (memory.tries.get(key) ?? 0) < triesMax;
}

/** Whether this process completed the effect. */
export function isEffectDone(memory: AttemptCache, key: string): boolean {
  return memory.outcomes.get(key)?.kind === 'done';
}

/** The cache with the outcome of one more effect. */
export function rememberOutcome(memory: AttemptCache, key: string, outcome: EffectOutcome): AttemptCache {
  return {
    ...memory,
    outcomes: new Map([...memory.outcomes, [key, outcome]]),
    tries: new Map([...memory.tries, [key, (memory.tries.get(key) ?? 0) + 1]]),
  };
}

/** Computes a value when it is first needed, and keeps it. */
export function memoizeOnce<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export type WorkflowRequest = Pick<Dispatch, 'workflow' | 'subject'> & {
  /** The workflow's file, and the branch that provides its version. */
  readonly file: string;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Earlier dispatches (Unix ms) do not count as tries; default: all count. */
  readonly since?: number;
  /** Maximum dispatches; default: unlimited, with growing pauses. */
  readonly triesMax?: number;
  /** A run in progress for this long counts as over; default: wait for it. */
  readonly overdueMs?: number;
};

/** The workflow of this name, on the branch of a lane. */
export function workflowForLane<Name extends Dispatch['workflow']>(
  { workflows, lane }: Pick<LaneScopedConfig, 'workflows' | 'lane'>,
  workflow: Name,
): { readonly workflow: Name } & Pick<WorkflowRequest, 'file' | 'ref'> {
  return { workflow, file: workflows[workflow], ref: lane.targetBranch };
}

/** `decideDispatch` on the dispatches in a run's record. */
export function dispatchOfRun({ state, facts, now, memory }: DeciderInput, wanted: WorkflowRequest): Step | null {
  return decideDispatch(wanted, { dispatches: state.dispatches, workflowRuns: facts.workflowRuns, now, memory });
}

export type DispatchFacts = {
  readonly dispatches: readonly Dispatch[];
  readonly workflowRuns: RunFacts['workflowRuns'];
  readonly now: Instant;
  readonly memory: AttemptCache;
};

/** Whether a hold applies to the run; true while the journal is unreadable. */
export function isRunHeld(state: RunState, journal: RunFacts['journalHolds']): boolean {
  const holds = listHoldsOnRun(state, journal);
  return holds.kind === 'unknown' || holds.value.length > 0;
}

/**
 * The next step; null while the recorded run is active or no tries are left. Only recorded run ids count, because anyone who can push a
 * branch can start a run with any title. A lost dispatch is repeated: the claim or lease admits one run.
 */
export function decideDispatch(wanted: WorkflowRequest, known: DispatchFacts): Step | null {
  const { workflow, subject, file, ref, inputs, since = 0, triesMax = null, overdueMs = null } = wanted;
  const { memory, now } = known;
  const sent = dispatchesFor(known.dispatches, workflow, subject);
  const last = sent.at(-1);
  const key = dispatchAttemptKey(wanted, known.dispatches);
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'done' && outcome.number !== null)
    return append({ type: 'dispatched', role: 'control', data: { workflow, subject, workflowRun: outcome.number } });
  if (last !== undefined) {
    const tries = sent.filter(({ at }) => (fromRfc3339(at) ?? 0) >= since).length;
    const pauseMs = Math.min(tries * limits.redispatchPauseMs, limits.redispatchPeriodMs);
    if (triesMax !== null && tries >= triesMax) return null;
    if (now - dispatchedAtMs(last) < pauseMs) return null;
    const run = known.workflowRuns.get(last.workflowRun);
    if (run === undefined) return request({ fact: 'workflowRuns', of: last.workflowRun });
    if (run.kind === 'unknown') return null;
    const isOverdue =
      run.value?.status === 'in_progress' && overdueMs !== null && now - dispatchedAtMs(last) >= overdueMs;
    if (run.value !== null && run.value.status !== 'completed' && !isOverdue) return null;
  }
  if (!canTry(memory, key, limits.effectTriesMax)) return null;
  return perform(key, { kind: 'dispatch-workflow', workflow: file, ref, inputs });
}

/** Key of the next dispatch in a process's memory. */
export function dispatchAttemptKey(
  { workflow, subject }: Pick<Dispatch, 'workflow' | 'subject'>,
  dispatches: readonly Dispatch[],
): string {
  return `${workflow}:${subject}:${dispatchesFor(dispatches, workflow, subject).length}`;
}

function dispatchedAtMs({ at }: Dispatch): number {
  return fromRfc3339(at) ?? 0;
}
