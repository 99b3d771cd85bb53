/** What one turn sees of all its runs is one commit and one push: with two hundred runs a push each would be all that a watch does. */

import { storedNow, watchedRoots } from '../../checkpoints/watched.ts';
import type { LaneConfig } from '../../config/lane-schema.ts';
import type { JobObservation } from '../../domain/engine.ts';
import { GitError } from '../../domain/git.ts';
import type { RunId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import type { EventDraft } from '../../domain/logbook/event.ts';
import { type RunState, runsOfLane } from '../../domain/logbook/run-state.ts';
import { identityToAsk } from '../../domain/tracker.ts';
import type { AppendResult } from '../../logbook/ports.ts';
import { pagesWith } from '../../run/decide-pages.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { configFor } from '../../run/run-config.ts';
import { leaseFor } from '../../watch/lease.ts';
import { NO_WITNESSES, type Witnesses } from '../../watch/look.ts';
import { eventsOf } from '../../watch/observation.ts';
import { isStoreDue } from '../../watch/store-seen.ts';
import { deliver } from '../channels.ts';
import { reportCorruptLogbook } from '../control/report-corrupt-logbook.ts';
import type { Lab } from '../lab.ts';
import type { OpenLab } from '../open-lab.ts';
import { contained, type Trouble, throwIfAny } from '../trouble.ts';
import { type AskedStore, type AskedTracker, observeJob } from './look.ts';
import type { WatchInput } from './watch-input.ts';

/** What was seen of a run, to be recorded on top of its entry `seq`. */
type Looked = { readonly run: RunId; readonly seq: number; readonly drafts: readonly EventDraft[] };

/** `refused`: what was seen could not be recorded; the logs are read again from the same place. */
export type Recorded = 'looked' | 'refused';

/** Looks at these runs, and records all of it together. What one of them meets is its own trouble. */
export async function lookAtAll(
  open: OpenLab,
  input: WatchInput,
  runs: readonly RunId[],
  seen: ReadonlyMap<RunId, JobObservation>,
  troubles: Trouble[],
): Promise<Recorded> {
  const { lab, store } = open;
  const looks = new Map<RunId, Looked>();
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    for (const run of runs) {
      const looked = await contained(open, troubles, { run, thread: null }, () =>
        lookOnce(open, input, run, seen.get(run) ?? null, looks.get(run) ?? null),
      );
      if (looked === null) looks.delete(run);
      else looks.set(run, looked);
    }
    if (looks.size === 0) return 'looked';
    const result = await appendAll(open, [...looks.values()]);
    if (result === null) return recordApart(open, input, [...looks.values()], troubles);
    if (result.kind !== 'conflict') return told(open, input, [...looks.keys()], result, troubles);
    await store.load();
  }
  lab.log('the logbook kept moving; looking again at the next turn');
  return 'looked';
}

/** One run by itself; what it meets is thrown. */
export async function check(open: OpenLab, input: WatchInput, run: RunId): Promise<Recorded> {
  const troubles: Trouble[] = [];
  const recorded = await lookAtAll(open, input, [run], new Map(), troubles);
  await input.publisher.sayOwed(
    open,
    (one, work) => contained(open, troubles, { run: one, thread: null }, work),
    'all',
  );
  throwIfAny(troubles);
  return recorded;
}

/** Null where there is nothing to look at, or another watch has the lease. What was seen on the same entry stands. */
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

/** Where the lane's runs are followed, and which run there is this one. */
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

/** The course of the lane's last passes, newest first. */
function laneWitness(record: { readonly runs: readonly RunState[] }, state: RunState): Witnesses['lane'] {
  const passes = runsOfLane(record.runs, state.proposal.lane).filter(({ seal }) => seal?.verdict === 'pass');
  return passes
    .toSorted((a, b) => b.proposal.date.localeCompare(a.proposal.date))
    .map(({ trace }) => trace)
    .slice(0, LANE_RUNS);
}

/** The policy's last five. */
const LANE_RUNS = 5;

/** Null where one of several keeps the others from being recorded: each is then recorded by itself, and that one says why. */
async function appendAll({ lab, store }: OpenLab, looks: readonly Looked[]): Promise<AppendResult | null> {
  if (looks.length === 1) return null;
  try {
    const result = await store.appendTogether(looks, lab.now());
    return result.kind === 'failed' ? null : result;
  } catch (error) {
    if (error instanceof GitError) throw error;
    lab.log(`what was seen of ${looks.length} runs is recorded one by one: ${String(error)}`);
    return null;
  }
}

async function recordApart(
  open: OpenLab,
  input: WatchInput,
  looks: readonly Looked[],
  troubles: Trouble[],
): Promise<Recorded> {
  for (const look of looks) {
    const { run } = look;
    const recorded = await contained(open, troubles, { run, thread: null }, async () =>
      told(open, input, [run], await appendOne(open, input, look), troubles),
    );
    if (recorded === 'refused') return recorded;
  }
  return 'looked';
}

/** Appends what was seen of one run; where somebody else was faster, it is looked at again. */
async function appendOne(open: OpenLab, input: WatchInput, look: Looked): Promise<AppendResult> {
  const { lab, store } = open;
  let looked: Looked | null = look;
  let result: AppendResult = { kind: 'conflict' };
  for (let attempt = 0; attempt < limits.appendTriesMax && looked !== null; attempt += 1) {
    result = await store.append(looked.run, looked.drafts, lab.now());
    if (result.kind !== 'conflict') return result;
    await store.load();
    looked = await lookOnce(open, input, look.run, null, looked);
  }
  return result;
}

/** What follows from the outcome, in the threads of these runs. */
async function told(
  open: OpenLab,
  input: WatchInput,
  runs: readonly RunId[],
  result: AppendResult,
  troubles: Trouble[],
): Promise<Recorded> {
  const { lab } = open;
  const [run] = runs;
  if (result.kind === 'refused') {
    lab.log(`the logbook cannot be written: ${result.message}`);
    await reportCorruptLogbook(open, input.toldFaults, troubles);
    return 'refused';
  }
  if (result.kind === 'failed')
    throw new Error(`the logbook of ${run} could not be written: ${result.message}`);
  if (result.kind === 'conflict')
    lab.log('the logbook kept moving; looking again at the next turn', run === undefined ? {} : { run });
  else {
    for (const one of runs) input.publisher.owe({ run: one, seqs: result.seqs.get(one) ?? [] });
    for (const one of runs)
      await contained(open, troubles, { run: one, thread: null }, () =>
        deliver(open, one, new Set(result.seqs.get(one) ?? []), 'watch'),
      );
  }
  return 'looked';
}

/** A store of a run's checkpoints, as the watch asks it. Null where its kind does not have them asked, it is too early, or nobody here can look there. */
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
