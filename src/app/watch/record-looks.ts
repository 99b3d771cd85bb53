/** Records the observations of all runs of one turn in a single commit and push. */

import { storedNow, watchedRoots } from '../../checkpoints/evidence.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import { formatOfLine } from '../../diagnosis/trainers.ts';
import type { JobObservation } from '../../domain/engine.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/define.ts';
import { rentalTerms } from '../../domain/logbook/holdings.ts';
import { type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { identityToAsk } from '../../domain/tracker.ts';
import { present, type RunId } from '../../domain/values.ts';
import { type Entry, type Recorded, recordAsDecided, transact } from '../../logbook/append.ts';
import { pagesWith } from '../../run/decide-notices.ts';
import { configFor, type LaneScopedConfig } from '../../run/lane.ts';
import { leaseFor } from '../../watch/cadence.ts';
import { digested, withUnrecorded } from '../../watch/digest.ts';
import { NO_WITNESSES, type Witnesses } from '../../watch/look.ts';
import { eventsOf } from '../../watch/observation.ts';
import { isStoreDue } from '../../watch/tracker-and-stores.ts';
import { reportCorruptLogbook } from '../control/report-corrupt-logbook.ts';
import type { Lab } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';
import { postOwed } from '../outbox.ts';
import { contained, type Trouble, throwIfAny } from '../trouble.ts';
import { type AskedStore, type AskedTracker, observeJob, type WatchInput } from './look.ts';

/** Drafts for a run, to append after its entry `seq`. */
type Looked = { readonly run: RunId; readonly seq: number; readonly drafts: readonly EventDraft[] };

/** `refused`: the observations could not be recorded, so the next turn reads the logs again from the same offset. */
type LookOutcome = 'looked' | 'refused';

/** `seen`: the job, if it was observed together with others. `before`: the observation that could not be recorded yet. */
type EarlierLook = { readonly seen: JobObservation | null; readonly before: Looked | null };

/**
 * Observes these runs and records all observations in one push. `runs`: for each run, its job if it was already observed.
 * An error of one run does not affect the others.
 */
export async function lookAtAll(
  open: OpenLab,
  input: WatchInput,
  runs: ReadonlyMap<RunId, JobObservation | null>,
  troubles: Trouble[],
): Promise<LookOutcome> {
  const looks = new Map<RunId, Looked>();
  const lookAtThese = async (): Promise<readonly Looked[]> => {
    for (const [run, seen] of runs) {
      const looked = await contained(open, troubles, { run, thread: null }, () =>
        lookOnce(open, input, run, { seen, before: looks.get(run) ?? null }),
      );
      if (looked === null) looks.delete(run);
      else looks.set(run, looked);
    }
    return [...runs.keys()].flatMap((run) => looks.get(run) ?? []);
  };
  const recorded = await recordTogether(open, troubles, lookAtThese);
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
    return await transact(open, async () => {
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
    const recorded = await contained(open, troubles, where, () => recordAsDecided(open, [entry]));
    if (recorded?.kind === 'refused') return recorded;
    outcome = recorded ?? outcome;
  }
  return outcome;
}

/** Adds the notifications for the entry's incidents to the same push. */
export function withPages({ lab, store, config }: OpenLab, { run, drafts }: Entry): Entry {
  const state = store.current().runs.find((one) => one.run === run);
  const pages = state === undefined ? [] : pagesWith(state, drafts, configFor(config, state), lab.now());
  return { run, drafts: [...drafts, ...pages] };
}

/** Observes and records one run. Throws the errors of that run. */
export async function check(open: OpenLab, input: WatchInput, run: RunId): Promise<void> {
  const troubles: Trouble[] = [];
  await lookAtAll(open, input, new Map([[run, null]]), troubles);
  await postOwed(open, troubles);
  throwIfAny(troubles);
}

/** Null if there is nothing to observe or another watch has the lease. Reuses an observation that is based on the same entry. */
async function lookOnce(
  open: OpenLab,
  input: WatchInput,
  run: RunId,
  { seen, before }: EarlierLook,
): Promise<Looked | null> {
  const { lab, config, store } = open;
  const engine = input.engineOf(config, input.cluster);
  if (engine === null) throw new Error(`no engine for the cluster ${input.cluster}`);
  const recorded = store.current().runs.find((one) => one.run === run);
  if (recorded === undefined || recorded.submission === null || recorded.end !== null) return null;
  const { submission } = recorded;
  const { seq } = recorded.head;
  if (before?.seq === seq) return before;
  const state = withUnrecorded(recorded, input.unrecorded.get(run));
  const { lane, kind } = configFor(config, state);
  const { cadence, metrics, trainerLine } = lane;
  const lease = leaseFor(state, input.holder, lab.now(), cadence.pollMs);
  if (lease === null) return null;
  const { readMetrics, redact, withheld } = input;
  const look = await observeJob({
    lab,
    engine,
    seen,
    state,
    submission,
    lease,
    cadence,
    readMetrics,
    redact,
    ownFormat: trainerLine === null ? null : formatOfLine(trainerLine),
    withheld,
    tellsBeside: kind.isCritical === true,
    store: askedStore(lab, configFor(config, state), state),
    tracker: askedTracker(input, lane, state),
    witnesses: {
      ...NO_WITNESSES,
      objective: metrics[0] ?? null,
      lane: laneWitness(store.current(), state),
      disk: await input.diskOf(),
    },
  });
  const isEach = kind.isCritical === true || rentalTerms(state) !== null || state.stop !== null;
  const polled = { recorded, state, drafts: eventsOf(state, look), at: look.at, isEach };
  const { drafts, unrecorded } = digested(polled);
  if (unrecorded !== null) input.unrecorded.set(run, unrecorded);
  return { ...withPages(open, { run, drafts }), run, seq };
}

/** The lane's tracker, and the choice of this run in it. */
function askedTracker({ trackerOf }: WatchInput, { tracker }: LaneConfig, state: RunState): AskedTracker | null {
  const port = trackerOf(tracker);
  const intended = state.order?.manifest?.tracker.runId ?? '';
  return port === null || intended === ''
    ? null
    : {
        port,
        identityOf: (logged) => identityToAsk(intended, tracker.kind === 'wandb' ? logged : []),
        keys: present(tracker.measures),
      };
}

/** Loss curves of the lane's last passed runs, newest first. */
function laneWitness(record: { readonly runs: readonly RunState[] }, state: RunState): Witnesses['lane'] {
  const passes = runsOfLane(record.runs, state.proposal.lane).filter(({ seal }) => seal?.verdict === 'pass');
  return passes
    .toSorted((a, b) => b.proposal.date.localeCompare(a.proposal.date))
    .map(({ trace }) => trace)
    .slice(0, LANE_RUNS);
}

/** Number of compared runs, set by the policy. */
const LANE_RUNS = 5;

/** Null if the kind does not check its stores, if it is too early, or if there are no roots to search. */
function askedStore(
  { stores, now }: Pick<Lab, 'stores' | 'now'>,
  { kind, lane }: LaneScopedConfig,
  state: RunState,
): AskedStore | null {
  if (kind.isCritical !== true || !isStoreDue(state, now())) return null;
  const roots = watchedRoots(state, lane);
  if (roots.length === 0) return null;
  return async (upTo) => {
    const wanted = { most: limits.storeLookReads, upTo };
    const searched = roots.map(async (root) => {
      const store = stores(root);
      return { root, found: store.kind === 'unknown' ? store : await store.value.newest(root, wanted) };
    });
    return storedNow(state, await Promise.all(searched));
  };
}
