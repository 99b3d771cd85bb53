/** Rental days on virtual time: the law of tear-down against an account that fails, with runs, kills and other people's machines. */

import { type Account, createAccount } from '../../playground/vast/account.ts';
import type { Condemned, RentedInstance, RentingRun, TearDownPolicy } from '../../src/rental/fleet.ts';
import { bookCosts, bookGone, type Spent } from '../../src/rental/money.ts';
import { decideTearDown } from '../../src/rental/tear-down.ts';
import { type Random, randomFrom } from '../support/random.ts';
import {
  createFor,
  FLEET,
  freeOffer,
  offerAt,
  type Plan,
  rowOf,
  scripted,
  stepsSeen,
  trains,
} from './planned-jobs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TICK = 2 * MINUTE;
/** Of each day: what fails may fail so long; an hour later everything has to be in order again. */
const FAULTS_END = 18 * HOUR;
const CALM = FAULTS_END + HOUR;

export const POLICY: TearDownPolicy = {
  idleGraceMs: 20 * MINUTE,
  startGraceMs: 15 * MINUTE,
  lifetimeMs: 30 * HOUR,
  dollarsMax: 12,
  alertEveryMs: 30 * MINUTE,
};

export type RentalReport = {
  readonly rented: number;
  readonly destroyed: number;
  readonly faults: number;
  readonly kills: number;
  /** In calm hours: minutes of machines without a living run, of second machines, and of idleness beyond the grace. */
  readonly orphanMinutes: number;
  readonly doubleMinutes: number;
  readonly idleMinutes: number;
  readonly foreignTouched: number;
  readonly billed: number;
  readonly booked: number;
};

type Run = { -readonly [Key in keyof RentingRun]: RentingRun[Key] } & {
  submittedAtMs: number;
  tries: number;
};

/** What the watch keeps in the record: it survives a kill, what it decided since does not. */
type Kept = {
  readonly condemned: ReadonlyMap<number, Condemned>;
  readonly spent: ReadonlyMap<number, Spent>;
  readonly rows: ReadonlyMap<number, RentedInstance>;
};

/** A stand-in for a law that is to be seen to fail. */
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
  kept: Kept;
  late: readonly { readonly atMs: number; readonly label: string }[];
};

/** Plays so many days. */
export function playRentalDays(days: number, seed: number, law: Law = decideTearDown): RentalReport {
  const world = newWorld(seed, law);
  const { account, count, foreign } = world;
  for (const ends = world.startMs + days * DAY; world.nowMs < ends; world.nowMs += TICK) {
    account.advance();
    happen(world);
    launch(world);
    if (world.nowMs >= world.nextLookMs) look(world);
    measure(world);
    // Runs that are over for a day are no longer asked about, and their machines long gone.
    if ((world.nowMs - world.startMs) % DAY === 0)
      world.runs = world.runs.filter(({ endedAtMs }) => endedAtMs === null || world.nowMs - endedAtMs < DAY);
  }
  const others = account.list().filter(({ id }) => foreign.includes(id));
  return {
    ...count,
    foreignTouched: count.foreignTouched + foreign.length - others.length,
    billed: account.billed() - others.reduce((sum, { charges }) => sum + charges.gpu + charges.storage, 0),
    booked: [...world.kept.spent.values()].reduce((sum, { dollars }) => sum + dollars, 0),
  };
}

function newWorld(seed: number, law: Law): World {
  const startMs = Date.UTC(2026, 10, 21);
  const plans = new Map<string, Plan>();
  const account = createAccount({
    now: () => world.nowMs,
    offers: Array.from({ length: 40 }, (_, index) => ({ ...offerAt(index), id: index + 1 })),
    credit: 1e12,
    timing: { provisionMs: 30_000, createMs: 20_000, loadMs: 3 * MINUTE, destroyMs: 50_000 },
    start: (instance, atMs) => scripted(atMs, plans.get(instance.label ?? '')),
    secret: () => '',
  });
  const foreign: number[] = [];
  const none = { rented: 0, destroyed: 0, faults: 0, kills: 0, orphanMinutes: 0 };
  const world: World = {
    ...{ random: randomFrom(seed), account, law, startMs, plans, foreign, trainedAtMs: new Map() },
    count: { ...none, doubleMinutes: 0, idleMinutes: 0, foreignTouched: 0 },
    ...{ nowMs: startMs, nextLookMs: startMs, runs: [], late: [] },
    kept: { condemned: new Map(), spent: new Map(), rows: new Map() },
  };
  for (const [index, label] of [null, 'mine', 'ferrybot:other:job-1', 'ferrybot:labor:x'].entries())
    createFor(account, label, index + 1);
  foreign.push(...account.list().map(({ id }) => id));
  return world;
}

/** Whether something fails now: never in the calm hours. */
function strikes({ random, count, nowMs, startMs }: World, share: number): boolean {
  const isStruck = (nowMs - startMs) % DAY < FAULTS_END && random.chance(share);
  if (isStruck) count.faults += 1;
  return isStruck;
}

/** The answer is lost, whatever became of the request. */
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
  if (runs.filter(({ endedAtMs }) => endedAtMs === null).length >= 3 || !random.chance(0.05)) return;
  const jobId = `job-${runs.length}-${(nowMs - startMs) / MINUTE}`;
  plans.set(`${FLEET}${jobId}`, {
    endsAfterMs: 20 * MINUTE + random.below(500 * MINUTE),
    hangsAfterMs: random.chance(0.15) ? random.below(200 * MINUTE) : Number.POSITIVE_INFINITY,
  });
  const keepUntilMs = random.chance(0.05) ? nowMs + random.below(3 * HOUR) : null;
  runs.push({ jobId, endedAtMs: null, progressAtMs: null, keepUntilMs, submittedAtMs: nowMs, tries: 1 });
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

/** Confirmed and not done, or lost on the way: both look alike from here. */
function destroy(world: World, id: number): void {
  const { account, count, foreign } = world;
  if (foreign.includes(id)) count.foreignTouched += 1;
  const instance = account.find(id);
  if (instance === null || strikes(world, 0.15)) return;
  account.destroy(instance);
  count.destroyed += 1;
}

/** What the watch makes of a whole read: steps, ends, and what is rented again because it certainly is not there. */
function watchRuns(world: World, rows: readonly RentedInstance[]): void {
  const { account, nowMs } = world;
  for (const run of world.runs) {
    const row = rows.find(({ jobId }) => jobId === run.jobId);
    const instance = row === undefined ? null : account.find(row.id);
    if (instance !== null) run.progressAtMs = stepsSeen(instance, run.progressAtMs, nowMs);
    if (run.endedAtMs !== null) continue;
    if (row?.status === 'exited') run.endedAtMs = nowMs;
    if (row !== undefined || nowMs - run.submittedAtMs < 10 * MINUTE) continue;
    run.submittedAtMs = nowMs;
    run.tries += 1;
    if (run.tries > 3 || run.progressAtMs !== null) run.endedAtMs = nowMs;
    else rent(world, run.jobId);
  }
}

function look(world: World): void {
  const { account, nowMs, kept, runs, law } = world;
  const cannotList = strikes(world, 0.1);
  const cannotRecord = strikes(world, 0.05);
  if (!cannotList) watchRuns(world, account.list().map(rowOf));
  const rows = account.list().map(rowOf);
  const ours = new Map(rows.flatMap((row) => (row.jobId === null ? [] : [[row.id, row]])));
  const spent = cannotList ? kept.spent : booked(kept, ours, rows, nowMs);
  const isAlert = kept.condemned.size > 0 || cannotList;
  const nextLookMs = isAlert ? nowMs + TICK : nextByAge([...ours.values()], nowMs);
  const decided = law({
    ...{ nowMs, nextLookMs, policy: POLICY, condemned: kept.condemned, spent },
    account: cannotList ? { kind: 'unknown' } : { kind: 'read', instances: rows },
    record: cannotRecord ? { kind: 'unknown' } : { kind: 'read', runs },
  });
  const isKilled = strikes(world, 0.01);
  const done = isKilled ? world.random.below(decided.destroy.length + 1) : decided.destroy.length;
  for (const { id, jobId, reason } of decided.destroy.slice(0, done)) {
    destroy(world, id);
    const run = runs.find((one) => one.jobId === jobId);
    if (run !== undefined && reason !== 'double' && reason !== 'orphan') run.endedAtMs ??= nowMs;
  }
  if (isKilled) {
    // Nothing of this look is kept, and nobody looks for a while.
    world.count.kills += 1;
    world.nextLookMs = nowMs + world.random.below(45 * MINUTE);
    return;
  }
  world.kept = { condemned: decided.condemned, spent, rows: cannotList ? kept.rows : ours };
  world.nextLookMs = decided.condemned.size > 0 ? nowMs + TICK : nextLookMs;
}

/** Dense at the beginning of a machine, wider later. */
function nextByAge(rows: readonly RentedInstance[], nowMs: number): number {
  const dense = rows.flatMap(({ createdAtMs }) =>
    [1, 3, 7, 15].flatMap((minutes) => {
      const due = createdAtMs + minutes * MINUTE;
      return due > nowMs ? [due] : [];
    }),
  );
  return Math.min(nowMs + 10 * MINUTE, ...dense);
}

function booked(
  { spent, rows: before }: Kept,
  ours: ReadonlyMap<number, RentedInstance>,
  rows: readonly RentedInstance[],
  nowMs: number,
): ReadonlyMap<number, Spent> {
  const now = new Map(bookCosts(spent, rows, nowMs));
  for (const [id, row] of before) {
    const last = spent.get(id);
    if (!ours.has(id) && last !== undefined) now.set(id, bookGone(last, row, nowMs));
  }
  return now;
}

/** Counts what should not be, in the calm hours. */
function measure({ account, nowMs, startMs, runs, trainedAtMs, count }: World): void {
  const ours = account.list().filter(({ label, next }) => label?.startsWith(FLEET) && next?.to !== 'gone');
  for (const instance of ours) if (trains(instance, nowMs)) trainedAtMs.set(instance.id, nowMs);
  if ((nowMs - startMs) % DAY < CALM) return;
  const minutes = TICK / MINUTE;
  for (const instance of ours) {
    const run = runs.find(({ jobId }) => `${FLEET}${jobId}` === instance.label);
    const isKept = run?.keepUntilMs != null && nowMs <= run.keepUntilMs;
    if (ours.some((one) => one.label === instance.label && one.id < instance.id))
      count.doubleMinutes += minutes;
    if (isKept) continue;
    if (run === undefined || (run.endedAtMs !== null && nowMs - run.endedAtMs > 10 * MINUTE))
      count.orphanMinutes += minutes;
    const since = trainedAtMs.get(instance.id) ?? instance.createdAtMs + POLICY.startGraceMs;
    if (nowMs - since > POLICY.idleGraceMs) count.idleMinutes += minutes;
  }
}
