/** Starts a ferrybot workflow: dispatch it, record the returned id, and dispatch again only after that run ended. */

import { type Dispatch, dispatchesFor } from '../domain/dispatch.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { holdsOver } from '../domain/launch/hold.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { type AttemptCache, append, type DeciderInput, mayTry, perform, type Step } from './step.ts';

export type WantedWorkflow = Pick<Dispatch, 'workflow' | 'subject'> & {
  /** The workflow's file, and the branch whose version runs. */
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
export function laneWorkflow<Name extends Dispatch['workflow']>(
  { workflows, lane }: Pick<LaneScopedConfig, 'workflows' | 'lane'>,
  workflow: Name,
): { readonly workflow: Name } & Pick<WantedWorkflow, 'file' | 'ref'> {
  return { workflow, file: workflows[workflow], ref: lane.targetBranch };
}

/** `decideDispatch` on what a run's record has. */
export function dispatchOfRun(
  { state, facts, now, memory }: DeciderInput,
  wanted: WantedWorkflow,
): Step | null {
  return decideDispatch(wanted, {
    dispatches: state.dispatches,
    workflowRuns: facts.workflowRuns,
    now,
    memory,
  });
}

export type DispatchFacts = {
  readonly dispatches: readonly Dispatch[];
  readonly workflowRuns: RunFacts['workflowRuns'];
  readonly now: Instant;
  readonly memory: AttemptCache;
};

/** Whether a hold applies to the run; true while the journal is unreadable. */
export function isHeldBack(state: RunState, journal: RunFacts['journalHolds']): boolean {
  const holds = holdsOver(state, journal);
  return holds.kind === 'unknown' || holds.value.length > 0;
}

/**
 * The next step; null while the recorded run is active or no tries are left. Only recorded run ids count, because anyone who can push a
 * branch can start a run with any title. A lost dispatch is repeated: the claim or lease admits one run.
 */
export function decideDispatch(wanted: WantedWorkflow, known: DispatchFacts): Step | null {
  const { workflow, subject, file, ref, inputs, since = 0, triesMax = null, overdueMs = null } = wanted;
  const { memory, now } = known;
  const sent = dispatchesFor(known.dispatches, workflow, subject);
  const last = sent.at(-1);
  const key = dispatchKey(wanted, known.dispatches);
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'done' && outcome.number !== null)
    return append({
      type: 'dispatched',
      role: 'control',
      data: { workflow, subject, workflowRun: outcome.number },
    });
  if (last !== undefined) {
    const tries = sent.filter(({ at }) => (fromRfc3339(at) ?? 0) >= since).length;
    const pauseMs = Math.min(tries * limits.redispatchPauseMs, limits.redispatchPeriodMs);
    if (triesMax !== null && tries >= triesMax) return null;
    if (now - sentAt(last) < pauseMs) return null;
    const run = known.workflowRuns.get(last.workflowRun);
    if (run === undefined) return need({ fact: 'workflowRuns', of: last.workflowRun });
    if (run.kind === 'unknown') return null;
    const isOverdue =
      run.value?.status === 'in_progress' && overdueMs !== null && now - sentAt(last) >= overdueMs;
    if (run.value !== null && run.value.status !== 'completed' && !isOverdue) return null;
  }
  if (!mayTry(memory, key, limits.effectTriesMax)) return null;
  return perform(key, { kind: 'dispatch-workflow', workflow: file, ref, inputs });
}

/** Key of the next dispatch in a process's memory. */
export function dispatchKey(
  { workflow, subject }: Pick<Dispatch, 'workflow' | 'subject'>,
  dispatches: readonly Dispatch[],
): string {
  return `${workflow}:${subject}:${dispatchesFor(dispatches, workflow, subject).length}`;
}

function sentAt({ at }: Dispatch): number {
  return fromRfc3339(at) ?? 0;
}
