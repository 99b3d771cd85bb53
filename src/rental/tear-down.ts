/** Decides which rented machines to destroy, by comparing the record with the account. */

import type { AccountRead, MachineStatus, RentedInstance } from '../domain/care/machines.ts';
import type { TearDownReason } from '../domain/logbook/events/rental-events.ts';

/** The cost of one instance up to its last observation. */
export type MachineSpending = {
  readonly dollars: number;
  readonly atMs: number;
  /** `gone` according to the record. */
  readonly status: MachineStatus | 'gone';
  /** The traffic part of `dollars`. */
  readonly traffic: number;
  /** An upper bound, because the card was not observed for some time. */
  readonly isEstimated: boolean;
};

/** When the card ran, by the job's times: from its start to the latest possible stop. */
export type WorkedPeriod = { readonly fromMs: number; readonly untilMs: number };

const HOUR_MS = 3_600_000;

type Rates = Pick<RentedInstance, 'hourly' | 'storageHourly'>;

/** Dollars per hour: the card is billed while `running` or `frozen`, the disk always. */
export function hourlyRate({ hourly, storageHourly }: Rates, status: MachineStatus | 'gone'): number {
  return status === 'running' || status === 'frozen' ? hourly : storageHourly;
}

/**
 * Books the time since the last observation. A changed state counts as changed halfway. A machine that may have run unobserved is booked
 * by `worked`, or as running all the time; so is the whole life of one that was recorded as gone. Machines that left the account keep
 * their cost.
 */
export function bookCosts(
  spent: ReadonlyMap<number, MachineSpending>,
  instances: readonly RentedInstance[],
  nowMs: number,
  worked: ReadonlyMap<number, WorkedPeriod> = new Map(),
): ReadonlyMap<number, MachineSpending> {
  const booked = new Map(spent);
  for (const instance of instances) {
    if (instance.jobId === null) continue;
    const { id, status, createdAtMs } = instance;
    const seen = spent.get(id);
    const isBack = seen?.status === 'gone';
    const before = seen === undefined || isBack ? { ...NOTHING_SPENT, atMs: createdAtMs } : seen;
    const traffic = Math.max(before.traffic, instance.traffic);
    const isUnseen = isBack || mayHaveRunUnobserved(before.status, status);
    const time = isUnseen
      ? costWhileUnobserved(before, instance, nowMs, isBack ? null : (worked.get(id) ?? null))
      : ((hourlyRate(instance, before.status) + hourlyRate(instance, status)) / 2) * elapsedHours(before, nowMs);
    const dollars = before.dollars + time + traffic - before.traffic;
    booked.set(id, { dollars, atMs: nowMs, status, traffic, isEstimated: before.isEstimated || isUnseen });
  }
  return booked;
}

const NOTHING_SPENT: Omit<MachineSpending, 'atMs'> = { dollars: 0, status: null, traffic: 0, isEstimated: false };

/** Books the cost of a machine that left the account between two observations. */
export function bookGoneMachine(
  before: MachineSpending,
  instance: Rates & Pick<RentedInstance, 'createdAtMs'>,
  nowMs: number,
  worked: WorkedPeriod | null,
): MachineSpending {
  const isUnseen = mayHaveRunUnobserved(before.status, 'gone');
  const time = isUnseen
    ? costWhileUnobserved(before, instance, nowMs, worked)
    : (hourlyRate(instance, before.status) * elapsedHours(before, nowMs)) / 2;
  const isEstimated = before.isEstimated || isUnseen;
  return { ...before, dollars: before.dollars + time, atMs: nowMs, isEstimated };
}

/** States before the card is billed. */
const NOT_YET: ReadonlySet<MachineStatus | 'gone'> = new Set([null, 'created', 'loading', 'rebooting']);

/** Whether the card may have run between two observations that did not see it running. */
export function mayHaveRunUnobserved(before: MachineStatus | 'gone', status: MachineStatus | 'gone'): boolean {
  return NOT_YET.has(before) && !NOT_YET.has(status) && status !== 'running' && status !== 'frozen';
}

/** The maximum cost. A host's clock is not trusted, so times outside of the machine's life are ignored. */
function costWhileUnobserved(
  before: MachineSpending,
  { hourly, storageHourly, createdAtMs }: Rates & Pick<RentedInstance, 'createdAtMs'>,
  nowMs: number,
  worked: WorkedPeriod | null,
): number {
  const hours = elapsedHours(before, nowMs);
  if (worked === null || !overlapsWork(worked, createdAtMs, nowMs)) return hourly * hours;
  const ranMs = Math.min(nowMs, worked.untilMs) - Math.max(before.atMs, worked.fromMs);
  return storageHourly * hours + ((hourly - storageHourly) * Math.max(0, ranMs)) / HOUR_MS;
}

function overlapsWork({ fromMs, untilMs }: WorkedPeriod, sinceMs: number, nowMs: number): boolean {
  return sinceMs <= fromMs && fromMs <= untilMs && fromMs <= nowMs;
}

function elapsedHours({ atMs }: Pick<MachineSpending, 'atMs'>, nowMs: number): number {
  return Math.max(0, nowMs - atMs) / HOUR_MS;
}

/** Limits of machines, in milliseconds and dollars. */
export type TearDownPolicy = {
  /** Maximum time without training progress. */
  readonly idleGraceMs: number;
  /** Maximum time from creation to the first step, which includes image, data and compilation. */
  readonly startGraceMs: number;
  /** Maximum life of an instance, even if a person keeps it. */
  readonly lifetimeMs: number;
  /** Maximum cost of all machines of a run, or of one machine without a run. */
  readonly dollarsMax: number;
};

/** A claimed job: an instance may exist for it. */
export type RentingRun = {
  readonly jobId: string;
  /** The approved limits. */
  readonly policy: TearDownPolicy;
  /** When the job ended; null: live. */
  readonly endedAtMs: number | null;
  /** When its step last advanced; null: never. */
  readonly progressAtMs: number | null;
  /** A person asked to keep the machine until then, within the limits. */
  readonly keepUntilMs: number | null;
  /** A person asked for its teardown. */
  readonly isAsked: boolean;
  /** Cost of all machines of the run by the next check, in dollars. */
  readonly dollarsThen: number;
};

/** All renting runs. An incomplete record cannot prove that a machine is an orphan. */
type RecordRead = { readonly runs: readonly RentingRun[]; readonly isWhole: boolean };

/** An instance to destroy that was not verified as gone. */
export type Condemned = {
  readonly reason: TearDownReason;
  readonly sinceMs: number;
  readonly alertedAtMs: number | null;
};

export type TearDownInput = {
  readonly nowMs: number;
  /** What would exceed a limit by then is destroyed now. */
  readonly nextObservationMs: number;
  readonly account: AccountRead;
  readonly record: RecordRead;
  /** For machines without a run. */
  readonly policy: TearDownPolicy;
  /** Interval between alerts for an unverified teardown. */
  readonly alertEveryMs: number;
  /** Earlier decisions that are not verified, by instance. */
  readonly unverified: ReadonlyMap<number, Condemned>;
  readonly spent: ReadonlyMap<number, MachineSpending>;
};

/**
 * A machine to destroy now; repeating a request is harmless. `alertSinceMs`: when its unverified teardown was first requested,
 * if an alert is due now; otherwise null.
 */
export type Destruction = {
  readonly id: number;
  readonly jobId: string;
  readonly reason: TearDownReason;
  readonly alertSinceMs: number | null;
};

type OurInstance = RentedInstance & { readonly jobId: string };

/** Destroys nothing without a complete list of the account. */
export function decideTearDown(input: TearDownInput): readonly Destruction[] {
  const { account, unverified, nowMs, alertEveryMs } = input;
  if (account.kind === 'unknown') return [];
  const ours = account.instances.flatMap((one) => (one.jobId === null ? [] : [{ ...one, jobId: one.jobId }]));
  return ours.flatMap((instance) => {
    const { id, jobId } = instance;
    const before = unverified.get(id);
    // A decision stays, because the request may have been sent.
    const reason = before?.reason ?? findTearDownReason(instance, ours, input);
    if (reason === null) return [];
    const isDue = before !== undefined && nowMs - (before.alertedAtMs ?? before.sinceMs) >= alertEveryMs;
    return [{ id, jobId, reason, alertSinceMs: isDue ? before.sinceMs : null }];
  });
}

function findTearDownReason(
  instance: OurInstance,
  ours: readonly OurInstance[],
  input: TearDownInput,
): TearDownReason | null {
  const { record, nextObservationMs } = input;
  const run = record.runs.find(({ jobId }) => jobId === instance.jobId);
  const { lifetimeMs, dollarsMax, idleGraceMs } = run?.policy ?? input.policy;
  // Limits apply even if the record cannot be read.
  if (nextObservationMs - instance.createdAtMs > lifetimeMs) return 'lifetime';
  if ((run?.dollarsThen ?? input.spent.get(instance.id)?.dollars ?? 0) >= dollarsMax) return 'cost';
  if (run === undefined) return record.isWhole ? 'orphan' : null;
  if (isDuplicate(instance, ours, input.unverified)) return 'double';
  if (run.isAsked) return 'asked';
  // rule VA-26
  if (run.keepUntilMs !== null && nextObservationMs <= run.keepUntilMs) return null;
  // rule VA-01
  if (run.endedAtMs !== null) return 'ended';
  // rule VA-25
  return nextObservationMs - idleSinceMs(instance, run) > idleGraceMs ? 'idle' : null;
}

/** Of several machines for one job, ferrybot keeps the oldest, which counts as the job's machine. */
function isDuplicate(
  { id, jobId }: OurInstance,
  ours: readonly OurInstance[],
  condemned: ReadonlyMap<number, Condemned>,
): boolean {
  return ours.some((other) => other.jobId === jobId && other.id < id && !condemned.has(other.id));
}

/** When a machine became idle, by its steps, because utilization may be missing or old. A starting machine has its own grace time. */
export function idleSinceMs(
  { createdAtMs, status }: Pick<RentedInstance, 'createdAtMs' | 'status'>,
  { progressAtMs, policy }: Pick<RentingRun, 'progressAtMs' | 'policy'>,
): number {
  if (progressAtMs !== null) return Math.max(createdAtMs, progressAtMs);
  return STARTING_STATUSES.has(status) ? createdAtMs + policy.startGraceMs - policy.idleGraceMs : createdAtMs;
}

/** States that can still reach a first step. */
const STARTING_STATUSES: ReadonlySet<RentedInstance['status']> = new Set([
  null,
  'created',
  'loading',
  'running',
  'rebooting',
]);
