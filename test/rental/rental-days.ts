/**
 * Rental days on virtual time: the real code of the watch against a failing account, with runs, crashes and
 * foreign machines.
 */

import { type Account, createAccount } from '../../packages/playground/vast/account.ts';
import { type TearDownPorts, tearDown } from '../../src/actions/destroy.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { destroyStep, type RentalAccount } from '../../src/domain/care/machines.ts';
import type { EventDraft, LogbookEvent } from '../../src/domain/logbook/define.ts';
import { applyToOrphans, findIllegalOrphan, type Orphan } from '../../src/domain/logbook/events/rental-events.ts';
import { sumMicrodollars } from '../../src/domain/logbook/holdings.ts';
import { isBilled } from '../../src/domain/logbook/job-state.ts';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { type Instant, toRfc3339 } from '../../src/domain/values.ts';
import { type RecordPort, recordDecision } from '../../src/logbook/append.ts';
import { decideTearDown } from '../../src/rental/tear-down.ts';
import { createRandom, type Random } from '../support/random.ts';
import {
  createFor,
  FLEET,
  freeOffer,
  isTraining,
  observedSteps,
  offerAt,
  type Plan,
  planContainer,
  toRentedInstance,
} from './planned-jobs.ts';
import { applyDrafts, createSubmittedRun, endRun, type Run, TERMS } from './simulated-run.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TICK = 2 * MINUTE;
/** Part of each day in which faults may occur; an hour later everything must be in order again. */
const FAULTS_END = 18 * HOUR;
const CALM = FAULTS_END + HOUR;

export type RentalReport = {
  readonly rented: number;
  readonly destroyed: number;
  readonly faults: number;
  readonly kills: number;
  /**
   * In calm hours: minutes of machines without a live run, of second machines, and of idle time beyond the
   * grace.
   */
  readonly orphanMinutes: number;
  readonly doubleMinutes: number;
  readonly idleMinutes: number;
  readonly foreignTouched: number;
  readonly billed: number;
  readonly booked: number;
};

/** A replacement for the decision rule, to show that the checks detect it. */
export type Law = typeof decideTearDown;

type World = {
  readonly random: Random;
  readonly account: Account;
  readonly law: Law;
  readonly startMs: number;
  readonly plans: Map<string, Plan>;
  readonly trainedAtMs: Map<number, number>;
  readonly foreign: readonly number[];
  readonly count: { -readonly [Key in keyof Omit<RentalReport, 'billed' | 'booked'>]: number };
  nowMs: number;
  nextLookMs: number;
  runs: Run[];
  orphans: readonly Orphan[];
  bookedBefore: number;
  late: readonly { readonly atMs: number; readonly label: string }[];
};

/** The process ends here, at any point. */
class Killed extends Error {}

/** Simulates the given number of days. */
export async function playRentalDays(days: number, seed: number, law: Law = decideTearDown): Promise<RentalReport> {
  const world = newWorld(seed, law);
  const { account, count, foreign } = world;
  for (const ends = world.startMs + days * DAY; world.nowMs < ends; world.nowMs += TICK) {
    account.advance();
    happen(world);
    launch(world);
    if (world.nowMs >= world.nextLookMs) await look(world);
    measure(world);
    if ((world.nowMs - world.startMs) % DAY === 0) forget(world);
  }
  const others = account.list().filter(({ id }) => foreign.includes(id));
  const ofRuns = world.runs.reduce((sum, { state }) => sum + sumMicrodollars(state), 0);
  const ofOrphans = world.orphans.reduce((sum, { microdollars }) => sum + microdollars, 0);
  return {
    ...count,
    foreignTouched: count.foreignTouched + foreign.length - others.length,
    billed: account.billed() - others.reduce((sum, { charges }) => sum + charges.gpu + charges.storage, 0),
    booked: world.bookedBefore + (ofRuns + ofOrphans) / 1_000_000,
  };
}

/** A run is closed when it holds no resources: a machine that appears later has no live run. */
function forget(world: World): void {
  const isLeft = ({ state }: Run): boolean => state.end === null || isBilled(state);
  for (const run of world.runs) if (!isLeft(run)) world.bookedBefore += sumMicrodollars(run.state) / 1_000_000;
  world.runs = world.runs.filter(isLeft);
}

function newWorld(seed: number, law: Law): World {
  const startMs = Date.UTC(2026, 10, 21);
  const plans = new Map<string, Plan>();
  const account = createAccount({
    now: () => world.nowMs,
    offers: Array.from({ length: 40 }, (_, index) => ({ ...offerAt(index), id: index + 1 })),
    credit: 1e12,
    timing: { provisionMs: 30_000, createMs: 20_000, loadMs: 3 * MINUTE, destroyMs: 50_000 },
    start: (instance, atMs) => planContainer(atMs, plans.get(instance.label ?? '')),
    secret: () => '',
  });
  const foreign: number[] = [];
  const none = { rented: 0, destroyed: 0, faults: 0, kills: 0, orphanMinutes: 0 };
  const world: World = {
    ...{ random: createRandom(seed), account, law, startMs, plans, foreign, trainedAtMs: new Map() },
    count: { ...none, doubleMinutes: 0, idleMinutes: 0, foreignTouched: 0 },
    ...{ nowMs: startMs, nextLookMs: startMs, runs: [], late: [], orphans: [], bookedBefore: 0 },
  };
  for (const [index, label] of [null, 'mine', 'ferrybot:other:job-1', 'ferrybot:labor:x'].entries())
    createFor(account, label, index + 1);
  foreign.push(...account.list().map(({ id }) => id));
  return world;
}

/** True if faults may occur now: never in the calm hours. */
function strikes({ random, count, nowMs, startMs }: World, share: number): boolean {
  const isStruck = (nowMs - startMs) % DAY < FAULTS_END && random.chance(share);
  if (isStruck) count.faults += 1;
  return isStruck;
}

/** The answer is lost, with or without the effect of the request. */
function rent(world: World, jobId: string): void {
  const { account, count, nowMs, random } = world;
  const label = `${FLEET}${jobId}`;
  count.rented += 1;
  if (strikes(world, 0.1)) return;
  if (strikes(world, 0.1)) world.late = [...world.late, { atMs: nowMs + random.below(30 * MINUTE), label }];
  else createFor(account, label, freeOffer(account));
}

function launch(world: World): void {
  const { runs, random, nowMs, startMs, plans } = world;
  if (runs.filter(({ state }) => state.end === null).length >= 3 || !random.chance(0.05)) return;
  const jobId = `job-${(nowMs - startMs) / MINUTE}`;
  plans.set(`${FLEET}${jobId}`, {
    // Some end before a check has seen them running.
    endsAfterMs: random.chance(0.2) ? random.below(4 * MINUTE) : 20 * MINUTE + random.below(500 * MINUTE),
    hangsAfterMs: random.chance(0.15) ? random.below(200 * MINUTE) : Number.POSITIVE_INFINITY,
  });
  const keepUntilMs = random.chance(0.05) ? nowMs + random.below(3 * HOUR) : null;
  const run: Run = {
    ...{ jobId, keepUntilMs, progressAtMs: null, endedAtMs: null, submittedAtMs: nowMs, tries: 1 },
    state: createSubmittedRun(jobId, nowMs),
  };
  runs.push(run);
  if (keepUntilMs !== null) {
    const data = { until: toRfc3339(keepUntilMs as Instant), reason: 'a look' };
    applyDrafts(run, [{ type: 'machine-kept', role: 'control', actor: { login: 'ada', id: 1 }, data }], nowMs);
  }
  rent(world, jobId);
  world.nextLookMs = Math.min(world.nextLookMs, nowMs + MINUTE);
}

function happen(world: World): void {
  const { account, foreign, random, late, nowMs } = world;
  for (const { atMs, label } of late) if (atMs <= nowMs) createFor(account, label, freeOffer(account));
  world.late = late.filter(({ atMs }) => atMs > nowMs);
  for (const instance of account.list())
    if (!foreign.includes(instance.id) && instance.next?.to !== 'gone' && strikes(world, 0.002))
      account.happen(instance, random.pick(['outbid', 'frozen', 'unknown', 'offline'] as const));
}

/** What the watch knows about the jobs: steps, ends, and a new rental if a machine is certainly missing. */
function watchRuns(world: World): void {
  const { account, nowMs } = world;
  const rows = account.list().map(toRentedInstance);
  for (const run of world.runs) {
    if (run.state.end !== null) continue;
    const row = rows.find(({ jobId }) => jobId === run.jobId);
    const instance = row === undefined ? null : account.find(row.id);
    if (instance !== null) run.progressAtMs = observedSteps(instance, run.progressAtMs, nowMs);
    const at = run.progressAtMs === null ? null : toRfc3339(run.progressAtMs as Instant);
    const course = at === null ? {} : { moved: { at, longestGapMs: 0, observations: 1 } };
    run.state = { ...run.state, observation: { course } as unknown as RunState['observation'] };
    if (row?.status === 'exited') endRun(run, nowMs);
    if (row !== undefined || nowMs - run.submittedAtMs < 10 * MINUTE) continue;
    if (run.state.rental.machines.length > 0) continue;
    run.submittedAtMs = nowMs;
    run.tries += 1;
    if (run.tries > 3) endRun(run, nowMs);
    else rent(world, run.jobId);
  }
}

/** A failing account, and a process that is killed at any of its boundaries. */
function portsOf(world: World): TearDownPorts {
  const { account, law, count, foreign } = world;
  const boundary = (): void => {
    if (!strikes(world, 0.01)) return;
    count.kills += 1;
    throw new Killed();
  };
  const rented: RentalAccount = {
    read: async () => {
      boundary();
      if (strikes(world, 0.1)) return { kind: 'unknown', message: '429' };
      return { kind: 'read', instances: account.list().map(toRentedInstance), credit: null };
    },
    offer: async () => ({ kind: 'unknown', message: 'nobody asks it here' }),
    destroy: async (condemned, permit) => {
      spendCapability(permit, destroyStep(condemned));
      if (foreign.includes(condemned.id)) count.foreignTouched += 1;
      const instance = account.find(condemned.id);
      // Confirmed but not done, or lost on the way: both look the same from here.
      if (instance === null || strikes(world, 0.15)) return { kind: 'unknown', message: 'no answer' };
      account.destroy(instance);
      count.destroyed += 1;
      return { kind: 'unknown', message: 'still there' };
    },
  };
  const store: RecordPort = {
    append: async (entries) => {
      boundary();
      if (strikes(world, 0.02)) return { kind: 'refused', message: 'the remote said no' };
      if (strikes(world, 0.05)) return { kind: 'conflict' };
      for (const { run: name, drafts } of entries) record(world, name, drafts);
      boundary();
      return { kind: 'appended', seqs: new Map() };
    },
    load: async () => undefined,
  };
  return {
    ...{ cluster: 'rented', terms: TERMS, account: rented, decide: law, boundary, log: () => undefined },
    now: () => world.nowMs as Instant,
    record: async () => ({
      live: world.runs.map(({ state }) => state),
      orphans: world.orphans,
      isWhole: !strikes(world, 0.05),
    }),
    transact: (decide) => recordDecision({ store, lab: { now: () => world.nowMs as Instant } }, decide),
  };
}

function record(world: World, name: string, drafts: readonly EventDraft[]): void {
  const run = world.runs.find(({ state }) => state.run === name);
  if (run !== undefined) {
    applyDrafts(run, drafts, world.nowMs);
    return;
  }
  for (const draft of drafts) {
    const rule = findIllegalOrphan(world.orphans, draft);
    if (rule !== null) throw new Error(rule);
    const event = { ...draft, seq: world.orphans.length, at: toRfc3339(world.nowMs as Instant) };
    world.orphans = applyToOrphans(world.orphans, event as unknown as LogbookEvent);
  }
}

async function look(world: World): Promise<void> {
  const { random, nowMs } = world;
  try {
    if (!strikes(world, 0.1)) watchRuns(world);
    const result = await tearDown(portsOf(world));
    world.nextLookMs = nowMs + (result.kind === 'looked' ? result.cadenceMs : TICK);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    // Nothing runs for a while; only what was pushed remains.
    world.nextLookMs = nowMs + random.below(45 * MINUTE);
  }
}

/** Counts violations in the calm hours. */
function measure({ account, nowMs, startMs, runs, trainedAtMs, count }: World): void {
  const ours = account.list().filter(({ label, next }) => label?.startsWith(FLEET) && next?.to !== 'gone');
  for (const instance of ours) if (isTraining(instance, nowMs)) trainedAtMs.set(instance.id, nowMs);
  if ((nowMs - startMs) % DAY < CALM) return;
  const minutes = TICK / MINUTE;
  for (const instance of ours) {
    const run = runs.find(({ jobId }) => `${FLEET}${jobId}` === instance.label);
    const isKept = run?.keepUntilMs != null && nowMs <= run.keepUntilMs;
    if (ours.some((one) => one.label === instance.label && one.id < instance.id)) count.doubleMinutes += minutes;
    if (isKept) continue;
    if (run === undefined || (run.endedAtMs !== null && nowMs - run.endedAtMs > 10 * MINUTE))
      count.orphanMinutes += minutes;
    const since = trainedAtMs.get(instance.id) ?? instance.createdAtMs + TERMS.startMinutesMax * MINUTE;
    if (nowMs - since > TERMS.idleMinutesMax * MINUTE) count.idleMinutes += minutes;
  }
}
