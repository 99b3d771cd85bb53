/** The one way to start a workflow of ours: dispatch it, record the id that GitHub returned, and dispatch again once that very run is over. */

import { type Dispatch, dispatchesFor } from '../domain/dispatch.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { type AttemptCache, append, mayTry, perform, type Step } from './step.ts';

/** What a workflow is wanted for. */
export type WantedWorkflow = Pick<Dispatch, 'workflow' | 'subject'> & {
  /** The workflow's file, and the branch whose version of it runs. */
  readonly file: string;
  readonly ref: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Dispatches before this moment (ms since 1970) do not count as tries for what is wanted now. */
  readonly since: number;
  /** No more dispatches than this; null: as many as it takes, ever more slowly. */
  readonly triesMax: number | null;
  /** A run that has been in progress for so long has not done its work and counts as over; null: it is waited for. */
  readonly overdueMs: number | null;
};

/** What is known of earlier dispatches. */
export type DispatchFacts = {
  readonly dispatches: readonly Dispatch[];
  readonly workflowRuns: RunFacts['workflowRuns'];
  readonly now: Instant;
  readonly memory: AttemptCache;
};

/**
 * The next step towards a run of the workflow; null while our run waits or works, or the tries are used up. Only runs whose id
 * is recorded count: anybody who may push a branch can start a run with any title. A dispatch whose answer was lost is made
 * again: a claim or a lease lets one of two runs work.
 */
export function decideDispatch(wanted: WantedWorkflow, known: DispatchFacts): Step | null {
  const { workflow, subject, file, ref, inputs } = wanted;
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
    const tries = sent.filter(({ at }) => (fromRfc3339(at) ?? 0) >= wanted.since).length;
    const pauseMs = Math.min(tries * limits.redispatchPauseMs, limits.redispatchPeriodMs);
    if (wanted.triesMax !== null && tries >= wanted.triesMax) return null;
    if (now - sentAt(last) < pauseMs) return null;
    const run = known.workflowRuns.get(last.workflowRun);
    if (run === undefined) return need({ fact: 'workflowRuns', of: last.workflowRun });
    if (run.kind === 'unknown') return null;
    const isOverdue =
      run.value?.status === 'in_progress' &&
      wanted.overdueMs !== null &&
      now - sentAt(last) >= wanted.overdueMs;
    if (run.value !== null && run.value.status !== 'completed' && !isOverdue) return null;
  }
  if (!mayTry(memory, key, limits.effectTriesMax)) return null;
  return perform(key, { kind: 'dispatch-workflow', workflow: file, ref, inputs });
}

/** What the next dispatch is called in the memory of a process. */
export function dispatchKey(
  { workflow, subject }: Pick<Dispatch, 'workflow' | 'subject'>,
  dispatches: readonly Dispatch[],
): string {
  return `${workflow}:${subject}:${dispatchesFor(dispatches, workflow, subject).length}`;
}

function sentAt({ at }: Dispatch): number {
  return fromRfc3339(at) ?? 0;
}
