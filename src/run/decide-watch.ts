/** Starts watches. */

import { openSignatureMatch } from '../care/bad-node.ts';
import { hasCluster } from '../config/engine-traits.ts';
import { type Dispatch, dispatchesFor, oldestFirst } from '../domain/dispatch.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { awaitsDescription } from '../domain/logbook/adoption.ts';
import { watchedClusters } from '../domain/logbook/liveness.ts';
import { offerWanted } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { nextCheckAt } from '../watch/cadence.ts';
import { type DispatchFacts, decideDispatch } from './dispatch.ts';
import { anyLane, type LabConfig } from './lane-scope.ts';
import { append, type DeciderInput, type Step } from './step.ts';

/** Time for a dispatched watch to start. */
export const WATCH_START_MS = 3 * 60 * 1_000;

const NOT_STARTED = 'a watch was dispatched, and none has looked at the job since';

/** Whether the run must be observed and no watch holds a valid lease. */
export function needsWatch(state: RunState, now: Instant): boolean {
  if (awaitsDescription(state) || offerWanted(state) !== null) return true;
  // A watch handles a bad node in the log, even after the job ended.
  if (
    state.submission === null ||
    // rules HR-68, ML-35
    (watchedClusters(state).length === 0 && openSignatureMatch(state) === null)
  )
    return false;
  const until = state.observation === null ? null : fromRfc3339(state.observation.lease.until);
  // rules DF-21, HR-02
  return until === null || now >= until;
}

/** Starts a watch unless one is starting. Two at once are harmless: the lease admits one. */
export function decideWatch({ state, facts, config, now, memory }: DeciderInput): Step | null {
  const cluster = state.submission?.cluster ?? state.proposal.adopts?.cluster ?? offerWanted(state)?.cluster;
  if (!needsWatch(state, now) || cluster === undefined || !hasCluster(config, cluster)) return null;
  const wanted = {
    workflow: 'watch',
    subject: cluster,
    file: config.workflows.watch,
    ref: config.lane.targetBranch,
    inputs: { cluster },
    // A watch that ended before the job started did not observe it (policy VA-11).
    since: lastSignAt(state),
    triesMax: null,
    overdueMs: null,
  } as const;
  const dispatches = watchDispatches(state, facts, cluster);
  const dueAt = nextCheckAt(state, config.lane.cadence, now);
  if (isUnstarted(state, dispatches, dueAt, now)) {
    const since = (state.observation ?? state.submission)?.seq ?? 0;
    return append(incidentDraft('control', 'monitor-stale', { since, why: NOT_STARTED }));
  }
  return decideDispatch(wanted, { dispatches, workflowRuns: facts.workflowRuns, now, memory });
}

/** Whether to report that a dispatched watch has not looked yet. `dueAt`: when the next observation is due. */
function isUnstarted(
  state: RunState,
  dispatches: readonly Dispatch[],
  dueAt: Instant,
  now: Instant,
): boolean {
  const sign = state.observation ?? state.submission;
  // A pending stop is reported separately.
  if (sign === null || state.end !== null || state.stop !== null) return false;
  const first = dispatches.find(({ at }) => at >= sign.at);
  return (
    first !== undefined &&
    now - Math.max(dueAt, fromRfc3339(first.at) ?? 0) >= WATCH_START_MS &&
    !incidentsWith(state.incidents, 'monitor-stale').some(({ seq }) => seq > sign.seq)
  );
}

/** Every renting account is checked once a day, with some slack, even without jobs. */
const ACCOUNT_LOOK_MS = 22 * 60 * 60 * 1_000;
/** Retry after a failed check. */
const ACCOUNT_RETRY_MS = 60 * 60 * 1_000;

/** Starts a watch of a renting cluster whose account was not checked for a day. A watch fails if it cannot read the account. */
export function decideAccountLook(cluster: string, config: LabConfig, known: DispatchFacts): Step | null {
  const { now } = known;
  const last = dispatchesFor(known.dispatches, 'watch', cluster).at(-1);
  const ageMs = now - (fromRfc3339(last?.at ?? '') ?? 0);
  if (ageMs < ACCOUNT_RETRY_MS) return null;
  const run = last === undefined ? undefined : known.workflowRuns.get(last.workflowRun);
  if (ageMs < ACCOUNT_LOOK_MS && run?.kind === 'known' && run.value?.conclusion === 'success') return null;
  const wanted = {
    workflow: 'watch',
    subject: cluster,
    file: config.workflows.watch,
    ref: anyLane(config).lane.targetBranch,
    inputs: { cluster },
    since: now - ACCOUNT_LOOK_MS,
    triesMax: null,
    overdueMs: null,
  } as const;
  return decideDispatch(wanted, known);
}

/** Watch dispatches for the cluster, oldest first: one watch serves all its runs. */
export function watchDispatches(
  state: RunState,
  { recordedRuns }: Pick<RunFacts, 'recordedRuns'>,
  cluster = state.submission?.cluster ?? '',
): readonly Dispatch[] {
  const others =
    recordedRuns.kind === 'known' ? recordedRuns.value.filter(({ run }) => run !== state.run) : [];
  const all = [...others, state].flatMap(({ dispatches }) => dispatches);
  return dispatchesFor(oldestFirst(all), 'watch', cluster);
}

function lastSignAt({ observation, submission, proposedAt }: RunState): number {
  return fromRfc3339((observation ?? submission)?.at ?? proposedAt) ?? 0;
}
