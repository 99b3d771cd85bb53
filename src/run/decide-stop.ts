/** Decides whether a stop workflow is dispatched: somebody has given /stop, and no watch is seen to be alive to carry it out. */

import { missingCluster } from '../config/engine-traits.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { needsWatch, watchDispatches } from './decide-watch.ts';
import { decideDispatch } from './dispatch.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { type AttemptCache, append, type Step } from './step.ts';

/** A watch that is alive has looked for a stop by then: its 30 s, and a fetch. One that hangs leaves 25 s for a stop workflow. */
const STOP_PATIENCE_MS = 35_000;
/** People are told of a stop that nothing has confirmed by then. */
const STOP_TOLD_MS = 2 * 60 * 1_000;
const NOT_CONFIRMED = 'no watch and no stop workflow has reported the end of the job';
/** A stop workflow works for 15 minutes at the most, which its `timeout-minutes` says; one that took longer hangs. */
const STOP_WORK_MS = 20 * 60 * 1_000;

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
  if (isSeenByWatch(state, now)) return null;
  const isTold = incidentsWith(state.incidents, 'stop-unconfirmed').some(
    ({ seq }) => seq > (state.stop?.seq ?? 0),
  );
  if (!isTold && now - pendingSince(state) >= STOP_TOLD_MS)
    return append(incidentDraft('control', 'stop-unconfirmed', { message: NOT_CONFIRMED }));
  const watch = watchDispatches(state, facts).at(-1);
  if (mayBeSeenByWatch(state, now) && watch !== undefined) {
    const run = facts.workflowRuns.get(watch.workflowRun);
    if (run === undefined) return need({ fact: 'workflowRuns', of: watch.workflowRun });
    if (run.kind === 'known' && run.value?.status === 'in_progress') return null;
  }
  const wanted = {
    workflow: 'stop',
    subject: String(state.stop?.seq ?? 0),
    file: config.workflows.stop,
    ref: config.lane.targetBranch,
    inputs: { run: state.run },
    since: 0,
    triesMax: null,
    overdueMs: STOP_WORK_MS,
  } as const;
  const { dispatches } = state;
  return decideDispatch(wanted, { dispatches, workflowRuns: facts.workflowRuns, now, memory });
}

/** Whether a person asked for a stop that neither the engine has confirmed nor a live watch has taken on. */
export function isStopOwed(state: RunState, now: Instant): boolean {
  return isStopPending(state) && !isSeenByWatch(state, now);
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

/** From when on the stop could be carried out: nobody reaches the job while its cluster is not in the config. */
function pendingSince(state: RunState): number {
  const back = incidentsWith(state.incidents, 'cluster-back').at(-1);
  return Math.max(stoppedAt(state), fromRfc3339(back?.at ?? '') ?? 0);
}

function stoppedAt(state: RunState): number {
  return fromRfc3339(state.stop?.at ?? '') ?? 0;
}
