/** Decides whether a stop workflow is dispatched: somebody has given /stop, and no watch is seen to be alive to carry it out. */

import { missingCluster } from '../config/missing-cluster.ts';
import type { RunFacts, WorkflowRunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import { isTitledFor } from '../domain/run-title.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { needsWatch } from './decide-watch.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { type AttemptCache, isDone, mayTry, perform, type Step } from './step.ts';

/** A watch that is alive has looked for a stop by then: its 30 s, and a fetch. One that hangs leaves 25 s for a stop workflow. */
const STOP_PATIENCE_MS = 35_000;

/**
 * A live watch looks for a stop every 30 s; without one a job of its own carries it out.
 * Both at once do no harm: a stop is asked for by the job's id, and the lease decides who records the end.
 */
export function decideStop(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
  memory: AttemptCache,
): Step | null {
  // Nobody could reach the job, and the tries are for when it can be reached again.
  if (!isStopPending(state) || missingCluster(state, config) !== null) return null;
  const key = stopKey(state, now);
  if (isDone(memory, key) || !mayTry(memory, key, limits.effectTriesMax)) return null;
  if (isSeenByWatch(state, now)) return null;
  if (mayBeSeenByWatch(state, now)) {
    if (isNotAsked(facts.watchRuns)) return need('watchRuns');
    if (isWatchInProgress(state, facts)) return null;
  }
  if (isNotAsked(facts.stopRuns)) return need('stopRuns');
  if (isOnItsWay(state, facts, now)) return null;
  return perform(key, {
    kind: 'dispatch-workflow',
    workflow: config.workflows.stop,
    ref: config.lane.targetBranch,
    inputs: { run: state.run },
  });
}

/** Whether a stop was asked for that this process has not dispatched. */
export function isStopOwed(state: RunState, memory: AttemptCache, now: Instant): boolean {
  return isStopPending(state) && !isDone(memory, stopKey(state, now));
}

function isStopPending(state: RunState): boolean {
  return state.stop !== null && state.submission !== null && state.end === null;
}

/** A watch with a lease has looked since: it carries the stop out. */
function isSeenByWatch(state: RunState, now: Instant): boolean {
  return !needsWatch(state, now) && (state.observation?.at ?? '') > (state.stop?.at ?? '');
}

/** Its lease runs, and the stop is too young for it to have looked. */
function mayBeSeenByWatch(state: RunState, now: Instant): boolean {
  return !needsWatch(state, now) && now - stoppedAt(state) < STOP_PATIENCE_MS;
}

/** GitHub has its workflow run in progress; what cannot be read is no sign of life. */
function isWatchInProgress({ submission }: RunState, { watchRuns }: RunFacts): boolean {
  const cluster = submission?.cluster ?? '';
  return (
    watchRuns.kind === 'known' &&
    watchRuns.value.some((run) => run.status === 'in_progress' && isTitledFor(run.title, cluster))
  );
}

/** A stop that was dispatched gets its time, and there are not endlessly many. */
function isOnItsWay(state: RunState, facts: RunFacts, now: Instant): boolean {
  if (facts.stopRuns.kind === 'unknown') return false;
  const ours = facts.stopRuns.value.filter((run) => isOf(run, state));
  if (ours.length >= limits.dispatchesPerOrderMax) return true;
  return ours.some((run) => run.status !== 'completed' || now - run.createdAt < limits.redispatchPeriodMs);
}

/** GitHub's times have no milliseconds. */
function isOf(run: WorkflowRunFacts, state: RunState): boolean {
  return isTitledFor(run.title, state.run) && run.createdAt >= stoppedAt(state) - 1_000;
}

function stoppedAt(state: RunState): number {
  return fromRfc3339(state.stop?.at ?? '') ?? 0;
}

function stopKey(state: RunState, now: Instant): string {
  return `stop:${state.run}:${Math.floor((now - stoppedAt(state)) / limits.redispatchPeriodMs)}`;
}
