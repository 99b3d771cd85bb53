/** Records the observations of all runs of one turn in a single commit and push. */

import { storedNow, watchedRoots } from '../../checkpoints/watched.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import type { JobObservation } from '../../domain/engine.ts';
import { GitError } from '../../domain/git.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import { type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { identityToAsk } from '../../domain/tracker.ts';
import type { RunId } from '../../domain/values.ts';
import { transact } from '../../logbook/append.ts';
import { pagesWith } from '../../run/decide-pages.ts';
import { configFor, type LaneScopedConfig } from '../../run/lane-scope.ts';
import { leaseFor } from '../../watch/cadence.ts';
import { NO_WITNESSES, type Witnesses } from '../../watch/look.ts';
import { eventsOf } from '../../watch/observation.ts';
import { isStoreDue } from '../../watch/tracker-and-stores.ts';
import { reportCorruptLogbook } from '../control/report-corrupt-logbook.ts';
import type { Lab } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';
import { postOwed } from '../outbox.ts';
import { contained, type Trouble, throwIfAny } from '../trouble.ts';
import { type AskedStore, type AskedTracker, observeJob, type WatchInput } from './look.ts';

/** Drafts for a run on top of its entry `seq`. */
type Looked = { readonly run: RunId; readonly seq: number; readonly drafts: readonly EventDraft[] };

/** `refused`: the observations could not be recorded; the logs are read again from the same offset. */
type LookOutcome = 'looked' | 'refused';

/** Observes these runs and records all observations together. Errors of one run are contained. */
export async function lookAtAll(
  open: OpenLab,
  input: WatchInput,
  runs: readonly RunId[],
  seen: ReadonlyMap<RunId, JobObservation>,
  troubles: Trouble[],
): Promise<LookOutcome> {
  const looks = new Map<RunId, Looked>();
  const lookAtThese = async (these: readonly RunId[]): Promise<readonly Looked[]> => {
    for (const run of these) {
      const looked = await contained(open, troubles, { run, thread: null }, () =>
        lookOnce(open, input, run, seen.get(run) ?? null, looks.get(run) ?? null),
      );
      if (looked === null) looks.delete(run);
      else looks.set(run, looked);
    }
    return these.flatMap((run) => looks.get(run) ?? []);
  };
  const record = async (these: readonly RunId[]): Promise<LookOutcome> => {
    const recorded = await transact(open, () => lookAtThese(these));
    if (recorded.kind !== 'refused') return 'looked';
    open.lab.log(`the logbook cannot be written: ${recorded.message}`);
    await reportCorruptLogbook(open, troubles);
    return 'refused';
  };
  try {
    return await record(runs);
  } catch (error) {
    if (error instanceof GitError) throw error;
    open.lab.log(`what was seen of ${looks.size} run(s) is recorded one by one: ${String(error)}`);
  }
  // Record one by one: an observation that cannot be recorded must not block the others.
  for (const run of [...looks.keys()]) {
    const recorded = await contained(open, troubles, { run, thread: null }, () => record([run]));
    if (recorded === 'refused') return recorded;
  }
  return 'looked';
}

/** Observes and records one run; throws its errors. */
export async function check(open: OpenLab, input: WatchInput, run: RunId): Promise<void> {
  const troubles: Trouble[] = [];
  await lookAtAll(open, input, [run], new Map(), troubles);
  await postOwed(open, troubles);
  throwIfAny(troubles);
}

/** Null if there is nothing to observe or another watch has the lease. Keeps an observation of the same entry. */
async function lookOnce(
  { lab, config, store }: OpenLab,
  input: WatchInput,
  run: RunId,
  seen: JobObservation | null,
  before: Looked | null,
): Promise<Looked | null> {
  const engine = input.engineOf(config, input.cluster);
  if (engine === null) throw new Error(`no engine for the cluster ${input.cluster}`);
  const state = store.current().runs.find((one) => one.run === run);
  if (state === undefined || state.submission === null || state.end !== null) return null;
  const { seq } = state.head;
  if (before?.seq === seq) return before;
  const { cadence, metrics } = configFor(config, state).lane;
  const lease = leaseFor(state, input.holder, lab.now(), cadence.pollMs);
  if (lease === null) return null;
  const { readMetrics, redact, withheld } = input;
  const { submission } = state;
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
    withheld,
    tellsBeside: configFor(config, state).kind.isCritical === true,
    store: askedStore(lab, configFor(config, state), state),
    tracker: askedTracker(input, configFor(config, state).lane, state),
    witnesses: {
      ...NO_WITNESSES,
      objective: metrics[0] ?? null,
      lane: laneWitness(store.current(), state),
      disk: await input.diskOf(),
    },
  });
  const drafts = eventsOf(state, look);
  const pages = pagesWith(state, drafts, configFor(config, state), lab.now());
  return { run, seq, drafts: [...drafts, ...pages] };
}

/** The lane's tracker, and this run in it. */
function askedTracker(
  { trackerOf }: WatchInput,
  { tracker }: LaneConfig,
  state: RunState,
): AskedTracker | null {
  const port = trackerOf(tracker);
  const intended = state.order?.manifest?.tracker.runId ?? '';
  return port === null || intended === ''
    ? null
    : { port, identityOf: (logged) => identityToAsk(intended, tracker.kind === 'wandb' ? logged : []) };
}

/** Loss curves of the lane's last passes, newest first. */
function laneWitness(record: { readonly runs: readonly RunState[] }, state: RunState): Witnesses['lane'] {
  const passes = runsOfLane(record.runs, state.proposal.lane).filter(({ seal }) => seal?.verdict === 'pass');
  return passes
    .toSorted((a, b) => b.proposal.date.localeCompare(a.proposal.date))
    .map(({ trace }) => trace)
    .slice(0, LANE_RUNS);
}

/** As the policy says. */
const LANE_RUNS = 5;

/** Null if the kind does not check its stores, it is too early, or there is nothing to search. */
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
