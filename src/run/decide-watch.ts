/** Decides whether a watch must be started: every live job has one, and only one, by lease. */

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
import { anyLane, type LabConfig, type LaneScopedConfig } from './lane-scope.ts';
import { type AttemptCache, append, type Step } from './step.ts';

/** A watch that was dispatched gets a machine and looks for the first time within this; nobody asks for it before. */
const WATCH_START_MS = 3 * 60 * 1_000;

const NOT_STARTED = 'a watch was dispatched, and none has looked at the job since';

/** Whether something of the run is to be looked at and has no watch whose lease still runs. */
export function needsWatch(state: RunState, now: Instant): boolean {
  if (awaitsDescription(state) || offerWanted(state) !== null) return true;
  // A bad node that the log shows is answered by a watch, also when the job has ended meanwhile.
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

/** Starts a watch unless one is on its way. Two at once do no harm: the lease lets one of them work. */
export function decideWatch(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
  memory: AttemptCache,
): Step | null {
  const cluster = state.submission?.cluster ?? state.proposal.adopts?.cluster ?? offerWanted(state)?.cluster;
  if (!needsWatch(state, now) || cluster === undefined || !hasCluster(config, cluster)) return null;
  const wanted = {
    workflow: 'watch',
    subject: cluster,
    file: config.workflows.watch,
    ref: config.lane.targetBranch,
    inputs: { cluster },
    // One that is over and began before the job did has looked at the market, and never at the job (policy VA-11).
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

/** Whether to report that a watch was dispatched and none has looked since. `dueAt`: when the next look is due. */
function isUnstarted(
  state: RunState,
  dispatches: readonly Dispatch[],
  dueAt: Instant,
  now: Instant,
): boolean {
  const sign = state.observation ?? state.submission;
  // Whoever waits for a stop is told of that one already.
  if (sign === null || state.end !== null || state.stop !== null) return false;
  const first = dispatches.find(({ at }) => at >= sign.at);
  return (
    first !== undefined &&
    now - Math.max(dueAt, fromRfc3339(first.at) ?? 0) >= WATCH_START_MS &&
    !incidentsWith(state.incidents, 'monitor-stale').some(({ seq }) => seq > sign.seq)
  );
}

/** Somebody looks so often at each account that rents, also where nothing runs: once a day, and a bit sooner. */
const ACCOUNT_LOOK_MS = 22 * 60 * 60 * 1_000;
/** A watch that failed to look is followed by another one after this. */
const ACCOUNT_RETRY_MS = 60 * 60 * 1_000;

/**
 * Starts a watch of a cluster that rents where none has looked at its account for a day: every watch begins with a look at
 * the account, and does not succeed without one.
 */
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

/** The recorded dispatches of watches of the cluster, oldest first: one watch looks after all runs of its cluster. */
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

/** Whether a watch is needed and none was started just now. */
export function isWatchOwed(state: RunState, now: Instant): boolean {
  const last = state.dispatches.findLast(({ workflow }) => workflow === 'watch');
  const isYoung = last !== undefined && now - (fromRfc3339(last.at) ?? 0) < WATCH_START_MS;
  return needsWatch(state, now) && !isYoung;
}

function lastSignAt({ observation, submission, proposedAt }: RunState): number {
  return fromRfc3339((observation ?? submission)?.at ?? proposedAt) ?? 0;
}
