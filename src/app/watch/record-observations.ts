/** Records the observations of all runs of one turn in a single commit and push. */

import { findStored, listWatchedRoots } from '../../checkpoints/evidence.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import { formatOfLine } from '../../diagnosis/trainers.ts';
import type { JobObservation } from '../../domain/engine.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/define.ts';
import { rentalTerms } from '../../domain/logbook/holdings.ts';
import { type RunState, runsInLane } from '../../domain/logbook/run-state.ts';
import { identityToAsk } from '../../domain/tracker.ts';
import { known, omitUndefined, type RunId } from '../../domain/values.ts';
import { type Entry, type Recorded, recordDecision, recordEntries } from '../../logbook/append.ts';
import { listWatchDispatches } from '../../run/decide-dispatches.ts';
import { buildPages } from '../../run/decide-notices.ts';
import { configForRun, type LaneScopedConfig } from '../../run/lane.ts';
import { endLease, takeLease } from '../../watch/cadence.ts';
import { digested, withUnrecorded } from '../../watch/digest.ts';
import { buildEvents } from '../../watch/observation.ts';
import { NO_WITNESSES, type Witnesses } from '../../watch/poll.ts';
import { isStoreReadDue } from '../../watch/tracker-and-stores.ts';
import { guard, type Trouble, throwFirstTrouble } from '../contained-errors.ts';
import { reportCorruptLogbook } from '../control/report-corrupt-logbook.ts';
import type { Lab } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';
import { postPending } from '../outbox.ts';
import { observeJob, type StoreReader, type TrackerReader, type WatchInput } from './poll-job.ts';

/** Drafts for a run, to append after its entry `seq`. */
type ObservedRun = { readonly run: RunId; readonly seq: number; readonly drafts: readonly EventDraft[] };

/** `refused`: the observations could not be recorded, so the next turn reads the logs again from the same offset. */
type RecordOutcome = 'looked' | 'refused';

/** `seen`: the job, if it was observed together with others. `before`: the observation that could not be recorded yet. */
type EarlierObservation = { readonly listedJob: JobObservation | null; readonly previousRun: ObservedRun | null };

/**
 * Observes these runs and records all observations in one push. `runs`: for each run, its job if it was already observed.
 * An error of one run does not affect the others.
 */
export async function observeAndRecordAll(
  open: OpenLab,
  input: WatchInput,
  runs: ReadonlyMap<RunId, JobObservation | null>,
  troubles: Trouble[],
): Promise<RecordOutcome> {
  const looks = new Map<RunId, ObservedRun>();
  const observeRuns = async (): Promise<readonly ObservedRun[]> => {
    for (const [run, seen] of runs) {
      const looked = await guard(open, troubles, { run, thread: null }, () =>
        observeRun(open, input, run, { listedJob: seen, previousRun: looks.get(run) ?? null }),
      );
      if (looked === null) looks.delete(run);
      else looks.set(run, looked);
    }
    return [...runs.keys()].flatMap((run) => looks.get(run) ?? []);
  };
  const recorded = await recordTogether(open, troubles, observeRuns);
  if (recorded.kind !== 'refused') return 'looked';
  open.lab.log(`the logbook cannot be written: ${recorded.message}`);
  await reportCorruptLogbook(open, troubles);
  return 'refused';
}

/** Records the watch's entries in one push. If an entry is illegal, records them one by one, so that it does not block the others. */
export async function recordTogether(
  open: OpenLab,
  troubles: Trouble[],
  decide: () => Promise<readonly Entry[]>,
): Promise<Recorded> {
  let entries: readonly Entry[] = [];
  try {
    return await recordDecision(open, async () => {
      entries = [];
      entries = await decide();
      return entries;
    });
  } catch (error) {
    if (error instanceof GitError || entries.length === 0) throw error;
    open.lab.log(`${entries.length} file(s) are recorded one by one: ${String(error)}`);
  }
  let outcome: Recorded = { kind: 'nothing' };
  for (const entry of entries) {
    const where = { run: entry.run, thread: null };
    const recorded = await guard(open, troubles, where, () => recordEntries(open, [entry]));
    if (recorded?.kind === 'refused') return recorded;
    outcome = recorded ?? outcome;
  }
  return outcome;
}

/** Adds the notifications for the entry's incidents to the same push. */
export function addPages({ lab, store, config }: OpenLab, { run, drafts }: Entry): Entry {
  const state = store.current().runs.find((one) => one.run === run);
  const pages = state === undefined ? [] : buildPages(state, drafts, configForRun(config, state), lab.now());
  return { run, drafts: [...drafts, ...pages] };
}

/** Observes and records one run. Throws the errors of that run. */
export async function observeAndRecord(open: OpenLab, input: WatchInput, run: RunId): Promise<void> {
  const troubles: Trouble[] = [];
  await observeAndRecordAll(open, input, new Map([[run, null]]), troubles);
  await postPending(open, troubles);
  throwFirstTrouble(troubles);
}

/** Null if there is nothing to observe or another watch has the lease. Reuses an observation that is based on the same entry. */
async function observeRun(
  open: OpenLab,
  input: WatchInput,
  run: RunId,
  { listedJob, previousRun }: EarlierObservation,
): Promise<ObservedRun | null> {
  const { lab, config, store } = open;
  const engine = input.engineOf(config, input.cluster);
  if (engine === null) throw new Error(`no engine for the cluster ${input.cluster}`);
  const recorded = store.current().runs.find((one) => one.run === run);
  if (recorded === undefined || recorded.submission === null || recorded.end !== null) return null;
  const { submission } = recorded;
  const { seq } = recorded.head;
  if (previousRun?.seq === seq) return previousRun;
  const state = withUnrecorded(recorded, input.unrecorded.get(run));
  const { lane, kind } = configForRun(config, state);
  const { cadence, metrics, trainerLine } = lane;
  // Control replaces a watch only after its workflow run ended, or after it was silent for too long.
  const isReplacement = listWatchDispatches(state, { recordedRuns: known(store.current().runs) }).some(
    ({ workflowRun, at }) => workflowRun === input.workflowRun && at >= (state.observation?.at ?? ''),
  );
  const leased = isReplacement ? endLease(state, lab.now()) : state;
  const lease = takeLease(leased, input.holder, lab.now(), cadence.pollMs);
  if (lease === null) return null;
  const { readMetrics, redact, withheld } = input;
  const look = await observeJob({
    lab,
    engine,
    listedJob,
    state,
    submission,
    lease,
    cadence,
    readMetrics,
    redact,
    ownFormat: trainerLine === null ? null : formatOfLine(trainerLine),
    withheld,
    reportsOtherJobs: kind.isCritical === true,
    store: createStoreReader(lab, configForRun(config, state), state),
    tracker: createTrackerReader(input, lane, state),
    witnesses: {
      ...NO_WITNESSES,
      objective: metrics[0] ?? null,
      lane: laneLossCurves(store.current(), state),
      disk: await input.diskOf(),
    },
  });
  const isEach = kind.isCritical === true || rentalTerms(state) !== null || state.stop !== null;
  const polled = { recorded, state, drafts: buildEvents(state, look), at: look.at, isEach };
  const { drafts, unrecorded } = digested(polled);
  if (unrecorded !== null) input.unrecorded.set(run, unrecorded);
  return { ...addPages(open, { run, drafts }), run, seq };
}

/** The lane's tracker, and the choice of this run in it. */
function createTrackerReader(
  { trackerOf }: WatchInput,
  { tracker }: LaneConfig,
  state: RunState,
): TrackerReader | null {
  const port = trackerOf(tracker);
  const intended = state.order?.manifest?.tracker.runId ?? '';
  return port === null || intended === ''
    ? null
    : {
        port,
        identityOf: (logged) => identityToAsk(intended, tracker.kind === 'wandb' ? logged : []),
        keys: omitUndefined(tracker.measures),
      };
}

/** Loss curves of the lane's last passed runs, newest first. */
function laneLossCurves(record: { readonly runs: readonly RunState[] }, state: RunState): Witnesses['lane'] {
  const passes = runsInLane(record.runs, state.proposal.lane).filter(({ seal }) => seal?.verdict === 'pass');
  return passes
    .toSorted((a, b) => b.proposal.date.localeCompare(a.proposal.date))
    .map(({ trace }) => trace)
    .slice(0, LANE_RUNS);
}

/** Number of compared runs, set by the policy. */
const LANE_RUNS = 5;

/** Null if the kind does not check its stores, if it is too early, or if there are no roots to search. */
function createStoreReader(
  { stores, now }: Pick<Lab, 'stores' | 'now'>,
  { kind, lane }: LaneScopedConfig,
  state: RunState,
): StoreReader | null {
  if (kind.isCritical !== true || !isStoreReadDue(state, now())) return null;
  const roots = listWatchedRoots(state, lane);
  if (roots.length === 0) return null;
  return async (upTo) => {
    const wanted = { most: limits.storeLookReads, upTo };
    const searched = roots.map(async (root) => {
      const store = stores(root);
      return { root, found: store.kind === 'unknown' ? store : await store.value.newest(root, wanted) };
    });
    return findStored(state, await Promise.all(searched));
  };
}
