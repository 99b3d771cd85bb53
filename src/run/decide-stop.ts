/** Decides whether a stop workflow is dispatched: somebody has given /stop, and no watch is seen to be alive to carry it out. */

import { missingCluster } from '../config/engine-traits.ts';
import type { Instant } from '../domain/ids.ts';
import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { needsWatch, watchDispatches } from './decide-watch.ts';
import { dispatchOfRun, laneWorkflow } from './dispatch.ts';
import { append, type DeciderInput, type Step } from './step.ts';

/** A live watch checks for stops every 30 s; waiting longer would leave a stop workflow too little time. */
const STOP_PATIENCE_MS = 35_000;
/** Time until an unconfirmed stop is reported. */
const STOP_TOLD_MS = 2 * 60 * 1_000;
const NOT_CONFIRMED = 'no watch and no stop workflow has reported the end of the job';
/** Longer than the stop workflow's `timeout-minutes` of 15. */
const STOP_WORK_MS = 20 * 60 * 1_000;

/**
 * Dispatches a stop workflow if no live watch handles the stop. Both at once are harmless: the stop names the job's id, and the lease
 * decides who records the end.
 */
export function decideStop(input: DeciderInput): Step | null {
  const { state, facts, config, now } = input;
  // The job is unreachable; keep the retries for later.
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
  const subject = String(state.stop?.seq ?? 0);
  const inputs = { run: state.run };
  return dispatchOfRun(input, { ...laneWorkflow(config, 'stop'), subject, inputs, overdueMs: STOP_WORK_MS });
}

/** Whether a requested stop is neither confirmed by the engine nor handled by a live watch. */
export function isStopOwed(state: RunState, now: Instant): boolean {
  return isStopPending(state) && !isSeenByWatch(state, now);
}

function isStopPending(state: RunState): boolean {
  return state.stop !== null && state.submission !== null && state.end === null;
}

/** A watch with a lease has looked since the stop. */
function isSeenByWatch(state: RunState, now: Instant): boolean {
  return !needsWatch(state, now) && (state.observation?.at ?? '') > (state.stop?.at ?? '');
}

/** Its lease is valid, and it may not have seen the stop yet. */
function mayBeSeenByWatch(state: RunState, now: Instant): boolean {
  return !needsWatch(state, now) && now - stoppedAt(state) < STOP_PATIENCE_MS;
}

/** Since when the job was reachable. */
function pendingSince(state: RunState): number {
  const back = incidentsWith(state.incidents, 'cluster-back').at(-1);
  return Math.max(stoppedAt(state), fromRfc3339(back?.at ?? '') ?? 0);
}

function stoppedAt(state: RunState): number {
  return fromRfc3339(state.stop?.at ?? '') ?? 0;
}
