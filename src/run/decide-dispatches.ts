/** Starts watches. */

import { configuredPreApproval, countPreApprovalsUsed } from '../care/action-approval.ts';
import { findOpenBadNodeMatch } from '../care/bad-node.ts';
import { approvalMaxAgeMs } from '../config/approvals-schema.ts';
import { findMissingCluster, hasCluster } from '../config/lane-of-file.ts';
import { type ActionApproval, type ActionRecord, approvalEndsAt, describeTarget } from '../domain/actions/action.ts';
import { type Dispatch, dispatchesFor, oldestFirst } from '../domain/effect.ts';
import type { RunFacts } from '../domain/facts.ts';
import { filterIncidents, type Incident, incidentDraft } from '../domain/incidents.ts';
import { limits } from '../domain/limits.ts';
import { awaitsDescription, offerRequest } from '../domain/logbook/holdings.ts';
import { allowedSilenceMs, listWatchedClusters } from '../domain/logbook/job-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { request } from '../domain/reconcile-request.ts';
import { formatDuration, fromRfc3339, type Instant } from '../domain/values.ts';
import { type Cadence, firstPaceMs, nextCheckAt } from '../watch/cadence.ts';
import { firstLane, type LabConfig, type LaneScopedConfig } from './lane.ts';
import {
  type AttemptCache,
  append,
  type DeciderInput,
  type DispatchFacts,
  decideDispatch,
  dispatchOfRun,
  isRunHeld,
  type Step,
  type WorkflowRequest,
  workflowForLane,
} from './step.ts';

/** Time for a dispatched watch to start. */
export const WATCH_START_MS = 3 * 60 * 1_000;

const NOT_STARTED = 'a watch was dispatched, and none has looked at the job since';

/** An active watch of a silent run counts as hung this long after its dispatch. */
const WATCH_HUNG_MS = 10 * 60 * 1_000;

/**
 * Ask whether the watch's workflow run has ended if nothing was recorded for so long. With a sweep every 30 minutes, control replaces a
 * dead watch within 45 minutes; with webhooks immediately.
 */
const WATCH_DOUBT_MS = 15 * 60 * 1_000;

/** Whether the run must be observed and no watch holds a valid lease. */
export function needsWatch(state: RunState, now: Instant): boolean {
  if (awaitsDescription(state) || offerRequest(state) !== null) return true;
  // rules DF-21, HR-02
  return isWatched(state) && now >= leaseEndMs(state);
}

/** Whether a watch has to observe the job of this run. */
function isWatched(state: RunState): boolean {
  // A watch handles a bad node in the log, even after the job ended.
  return (
    state.submission !== null &&
    // rules HR-68, ML-35
    (listWatchedClusters(state).length > 0 || findOpenBadNodeMatch(state) !== null)
  );
}

/** Before every time without an observation. */
function leaseEndMs({ observation }: RunState): number {
  return observation === null
    ? Number.NEGATIVE_INFINITY
    : (fromRfc3339(observation.lease.until) ?? Number.NEGATIVE_INFINITY);
}

/** `endedRuns`: workflow runs that GitHub just reported as ended. */
type WatchTurn = DeciderInput & { readonly endedRuns?: ReadonlySet<number> };

/**
 * Starts a watch unless one is starting or active. If a watch falls silent, this reports the silence once (policy HR-39) and starts a
 * second watch. Two watches are harmless, because only one can hold the lease.
 */
export function decideWatch({ state, facts, config, now, memory, endedRuns }: WatchTurn): Step | null {
  const cluster = state.submission?.cluster ?? state.proposal.adopts?.cluster ?? offerRequest(state)?.cluster;
  if (cluster === undefined || !hasCluster(config, cluster)) return null;
  const dispatches = listWatchDispatches(state, facts, cluster);
  const newestRun = dispatches.at(-1)?.workflowRun;
  const isDoubtful =
    isWatched(state) &&
    newestRun !== undefined &&
    (endedRuns?.has(newestRun) === true || now - lastSignAtMs(state) >= WATCH_DOUBT_MS);
  if (!needsWatch(state, now) && !isDoubtful) return null;
  // A watch that ended before the job started did not observe it (policy VA-11).
  const wanted: WorkflowRequest = {
    ...watchWorkflow(config, cluster, lastSignAtMs(state)),
    ...(isWatchSilent(state, config.lane.cadence, now) ? { overdueMs: WATCH_HUNG_MS } : {}),
  };
  const { workflowRuns } = facts;
  const dispatch = decideDispatch(wanted, { dispatches, workflowRuns, now, memory });
  if (dispatch?.kind === 'need') return dispatch;
  const newest = workflowRuns.get(dispatches.at(-1)?.workflowRun ?? 0);
  const isActive = newest?.kind === 'known' && newest.value?.status !== 'completed';
  const isHung = wanted.overdueMs !== undefined && isActive;
  const why = describeSilence(state, dispatches, {
    // A second watch waits for the lease of the first.
    dueAt: Math.max(nextCheckAt(state, config.lane.cadence, now), leaseEndMs(state)),
    isHung,
    now,
  });
  const sign = lastSignOfLife(state);
  if (why !== null && sign !== null)
    // rule HR-39
    return append(incidentDraft('control', 'monitor-stale', { since: sign.seq, why }));
  return dispatch;
}

/** Why to report a silent watch, once per silence; null if there is nothing new. `dueAt`: when the next observation is due. */
function describeSilence(
  state: RunState,
  dispatches: readonly Dispatch[],
  { dueAt, isHung, now }: { readonly dueAt: number; readonly isHung: boolean; readonly now: Instant },
): string | null {
  const sign = lastSignOfLife(state);
  // A pending stop is reported separately.
  if (sign === null || (state.stop !== null && state.end === null)) return null;
  if (filterIncidents(state.incidents, 'monitor-stale').some(({ seq }) => seq > sign.seq)) return null;
  const silentMs = now - (fromRfc3339(sign.at) ?? 0);
  if (isHung && state.observation !== null) return `nothing was recorded for ${formatDuration(silentMs)}`;
  const first = dispatches.find(({ at }) => at >= sign.at);
  const isUnstarted =
    state.end === null && first !== undefined && now - Math.max(dueAt, fromRfc3339(first.at) ?? 0) >= WATCH_START_MS;
  return isUnstarted ? NOT_STARTED : null;
}

/** Silent for longer than the newest observation allows. A silent watch does not mean a failed job. */
export function isWatchSilent(state: RunState, cadence: Cadence, now: Instant): boolean {
  const sign = lastSignOfLife(state);
  if (sign === null || listWatchedClusters(state).length === 0) return false;
  // Nothing can watch while the cluster is missing.
  const backAt = filterIncidents(state.incidents, 'cluster-back').at(-1)?.at ?? sign.at;
  const silentMs = now - Math.max(fromRfc3339(sign.at) ?? 0, fromRfc3339(backAt) ?? 0);
  const nextEntryMs = sign === state.observation ? state.observation.nextEntryMs : undefined;
  const cadenceMs = 'cadenceMs' in sign ? sign.cadenceMs : firstPaceMs(cadence);
  return silentMs > allowedSilenceMs(nextEntryMs ?? cadenceMs);
}

/** The newest sign of a watch. After the job's end, the watch still checks rented machines. */
function lastSignOfLife({ submission, observation, end, rental }: RunState) {
  return (end === null ? null : rental.lastListing) ?? observation ?? submission;
}

/** Every renting account is checked once a day, with some slack, even without jobs. */
const ACCOUNT_CHECK_MS = 22 * 60 * 60 * 1_000;
/** Retry after a failed check. */
const ACCOUNT_RETRY_MS = 60 * 60 * 1_000;

/** Starts a watch of a renting cluster if its account was not checked for a day. A watch fails if it cannot read the account. */
export function decideAccountCheck(cluster: string, config: LabConfig, known: DispatchFacts): Step | null {
  const { now } = known;
  const last = dispatchesFor(known.dispatches, 'watch', cluster).at(-1);
  const ageMs = now - (fromRfc3339(last?.at ?? '') ?? 0);
  if (ageMs < ACCOUNT_RETRY_MS) return null;
  const run = last === undefined ? undefined : known.workflowRuns.get(last.workflowRun);
  if (ageMs < ACCOUNT_CHECK_MS && run?.kind === 'known' && run.value?.conclusion === 'success') return null;
  return decideDispatch(watchWorkflow(firstLane(config), cluster, now - ACCOUNT_CHECK_MS), known);
}

function watchWorkflow(config: LaneScopedConfig, cluster: string, since: number): WorkflowRequest {
  return { ...workflowForLane(config, 'watch'), subject: cluster, inputs: { cluster }, since };
}

/** Watch dispatches for the cluster, oldest first: one watch serves all its runs. */
export function listWatchDispatches(
  state: RunState,
  { recordedRuns }: Pick<RunFacts, 'recordedRuns'>,
  cluster = state.submission?.cluster ?? '',
): readonly Dispatch[] {
  const others = recordedRuns.kind === 'known' ? recordedRuns.value.filter(({ run }) => run !== state.run) : [];
  const all = [...others, state].flatMap(({ dispatches }) => dispatches);
  return dispatchesFor(oldestFirst(all), 'watch', cluster);
}

function lastSignAtMs({ observation, submission, proposedAt }: RunState): number {
  return fromRfc3339((observation ?? submission)?.at ?? proposedAt) ?? 0;
}

/** A live watch checks for stops every 30 s; waiting longer would leave a stop workflow too little time. */
const STOP_PATIENCE_MS = 35_000;
/** Time until an unconfirmed stop is reported. */
const STOP_REPORT_MS = 2 * 60 * 1_000;
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
  if (!isStopPending(state) || findMissingCluster(state, config) !== null) return null;
  if (isSeenByWatch(state, now)) return null;
  const isTold = filterIncidents(state.incidents, 'stop-unconfirmed').some(({ seq }) => seq > (state.stop?.seq ?? 0));
  if (!isTold && now - stopPendingSince(state) >= STOP_REPORT_MS)
    return append(incidentDraft('control', 'stop-unconfirmed', { message: NOT_CONFIRMED }));
  const watch = listWatchDispatches(state, facts).at(-1);
  if (mayBeSeenByWatch(state, now) && watch !== undefined) {
    const run = facts.workflowRuns.get(watch.workflowRun);
    if (run === undefined) return request({ fact: 'workflowRuns', of: watch.workflowRun });
    if (run.kind === 'known' && run.value?.status === 'in_progress') return null;
  }
  const subject = String(state.stop?.seq ?? 0);
  const inputs = { run: state.run };
  return dispatchOfRun(input, { ...workflowForLane(config, 'stop'), subject, inputs, overdueMs: STOP_WORK_MS });
}

/** Whether a requested stop is neither confirmed by the engine nor handled by a live watch. */
export function isStopOverdue(state: RunState, now: Instant): boolean {
  return isStopPending(state) && !isSeenByWatch(state, now);
}

function isStopPending(state: RunState): boolean {
  return state.stop !== null && state.submission !== null && state.end === null;
}

/** Whether a watch with a lease has recorded an observation since the stop. */
function isSeenByWatch(state: RunState, now: Instant): boolean {
  return !needsWatch(state, now) && (state.observation?.at ?? '') > (state.stop?.at ?? '');
}

/** Whether the lease is valid, but the watch may not have read the stop yet. */
function mayBeSeenByWatch(state: RunState, now: Instant): boolean {
  return !needsWatch(state, now) && now - stopRequestedAt(state) < STOP_PATIENCE_MS;
}

/** When the wait for a confirmed stop started: at the stop, or when the cluster was reachable again. */
function stopPendingSince(state: RunState): number {
  const back = filterIncidents(state.incidents, 'cluster-back').at(-1);
  return Math.max(stopRequestedAt(state), fromRfc3339(back?.at ?? '') ?? 0);
}

function stopRequestedAt(state: RunState): number {
  return fromRfc3339(state.stop?.at ?? '') ?? 0;
}

/** Reports once when the cluster of a run's job leaves the config, and once when it returns. */
export function decideMissingCluster(state: RunState, config: Pick<LabConfig, 'clusters'>): Step | null {
  const missing = findMissingCluster(state, config);
  const told = reportedMissingCluster(state);
  if (missing === told) return null;
  const [cluster] = listWatchedClusters(state);
  // A later attempt on another cluster does not mean that the first one returned.
  if (cluster === undefined || (missing === null && cluster !== told)) return null;
  const code = missing === null ? 'cluster-back' : 'cluster-missing';
  return append(incidentDraft('control', code, { cluster }));
}

/** The cluster last reported as missing, if not reported as back. */
function reportedMissingCluster({ incidents }: RunState): string | null {
  const last = incidents.findLast(({ code }) => code === 'cluster-missing' || code === 'cluster-back');
  return last?.code === 'cluster-missing' ? last.detail.cluster : null;
}

export type CareInput = {
  /** The run, or `journal`. */
  readonly record: string;
  readonly actions: readonly ActionRecord[];
  readonly incidents: readonly Incident[];
  readonly dispatches: readonly Dispatch[];
  readonly workflowRuns: RunFacts['workflowRuns'];
  readonly isHeld: boolean;
  readonly config: LabConfig;
  /** The branch that the workflow is dispatched on. */
  readonly ref: string;
  readonly now: Instant;
  readonly memory: AttemptCache;
};

/** The next step for a run's cluster changes; null if none is pending. */
export function decideCare({ state, facts, config, now, memory }: DeciderInput): Step | null {
  const { run: record, actions, incidents, dispatches } = state;
  const isHeld = isRunHeld(state, facts.journalHolds);
  const { workflowRuns } = facts;
  const ref = config.lane.targetBranch;
  return (
    (isHeld ? null : decideConfigApproval({ state, facts, config, now })) ??
    decideActions({ record, actions, incidents, dispatches, workflowRuns, isHeld, config, ref, now, memory })
  );
}

/** The config approves the deletion of a bad node only after the job failed: a log line of a running job proves nothing. */
function decideConfigApproval({ state, facts, config, now }: Omit<DeciderInput, 'memory'>): Step | null {
  if (state.end?.status !== 'FAILED') return null;
  if (facts.configHealth.kind === 'unknown' || facts.recordedRuns.kind === 'unknown') return null;
  const { isValid, inForce } = facts.configHealth.value;
  const all = [...facts.recordedRuns.value.filter(({ run }) => run !== state.run), state];
  const one = state.actions.find(({ proposal, digest, approvals: consents, ended }) => {
    const said = configuredPreApproval(config, proposal);
    if (!isValid || said === null || !said.isInForce || consents.length > 0 || ended !== null) return false;
    const others = all.flatMap(({ actions }) => actions);
    return countPreApprovalsUsed(others, { cluster: proposal.cluster, digest }, now) < said.max;
  });
  if (one === undefined) return null;
  const source = { kind: 'config', commit: inForce } as const;
  return append({ type: 'action-approved', role: 'control', data: { proposal: one.digest, source } });
}

/** Dispatches the runner for consented changes. */
export function decideActions(input: CareInput): Step | null {
  for (const one of input.actions) {
    const consent = one.approvals.at(-1);
    if (consent === undefined || one.ended !== null) continue;
    const isOver = one.claim === null && input.now >= approvalEndsAt(consent, approvalMaxAgeMs(input.config));
    const step = isOver ? reportUnusedApproval(input, one, consent) : dispatchAction(input, one, consent);
    if (step !== null) return step;
  }
  return null;
}

function reportUnusedApproval(
  { incidents }: CareInput,
  { proposal }: ActionRecord,
  consent: ActionApproval,
): Step | null {
  const isTold = filterIncidents(incidents, 'approval-unused').some(({ detail }) => detail.consent === consent.seq);
  if (isTold) return null;
  const detail = {
    consent: consent.seq,
    at: consent.at,
    kind: proposal.change.kind,
    target: describeTarget(proposal.change),
  };
  return append(incidentDraft('control', 'approval-unused', detail));
}

/** Dispatches the runner, also for a claimed change, so that its end gets recorded. */
function dispatchAction(input: CareInput, { claim: begun, digest }: ActionRecord, { at }: ActionApproval): Step | null {
  if (input.isHeld && begun === null) return null;
  const { config, record, ref } = input;
  return decideDispatch(
    {
      ...{ workflow: 'care', subject: digest, file: config.workflows.care, ref },
      ...{ inputs: { run: record, action: digest }, since: fromRfc3339(at) ?? 0 },
      triesMax: limits.dispatchesPerOrderMax,
    },
    input,
  );
}
