/** Computes the cost of rented machines. */

import type { MachineStatus, RentedInstance } from '../domain/rented.ts';

/** The cost of one instance up to its last observation. */
export type Spent = {
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
export type Worked = { readonly fromMs: number; readonly untilMs: number };

const HOUR_MS = 3_600_000;

type Rates = Pick<RentedInstance, 'hourly' | 'storageHourly'>;

/** Dollars per hour: the card is billed while `running` or `frozen`, the disk always. */
export function rateOf({ hourly, storageHourly }: Rates, status: MachineStatus | 'gone'): number {
  return status === 'running' || status === 'frozen' ? hourly : storageHourly;
}

/**
 * Books the time since the last observation. A changed state counts as changed halfway. A machine that may have run unobserved is booked
 * by `worked`, or as running all the time; so is the whole life of one that was recorded as gone. Machines that left the account keep
 * their cost.
 */
export function bookCosts(
  spent: ReadonlyMap<number, Spent>,
  instances: readonly RentedInstance[],
  nowMs: number,
  worked: ReadonlyMap<number, Worked> = new Map(),
): ReadonlyMap<number, Spent> {
  const booked = new Map(spent);
  for (const instance of instances) {
    if (instance.jobId === null) continue;
    const { id, status, createdAtMs } = instance;
    const seen = spent.get(id);
    const isBack = seen?.status === 'gone';
    const before = seen === undefined || isBack ? { ...NOTHING_SPENT, atMs: createdAtMs } : seen;
    const traffic = Math.max(before.traffic, instance.traffic);
    const isUnseen = isBack || mayRunUnseen(before.status, status);
    const time = isUnseen
      ? unseenCost(before, instance, nowMs, isBack ? null : (worked.get(id) ?? null))
      : ((rateOf(instance, before.status) + rateOf(instance, status)) / 2) * hoursSince(before, nowMs);
    const dollars = before.dollars + time + traffic - before.traffic;
    booked.set(id, { dollars, atMs: nowMs, status, traffic, isEstimated: before.isEstimated || isUnseen });
  }
  return booked;
}

const NOTHING_SPENT: Omit<Spent, 'atMs'> = { dollars: 0, status: null, traffic: 0, isEstimated: false };

/** Books the cost of a machine that left the account between two observations. */
export function bookGone(
  before: Spent,
  instance: Rates & Pick<RentedInstance, 'createdAtMs'>,
  nowMs: number,
  worked: Worked | null,
): Spent {
  const isUnseen = mayRunUnseen(before.status, 'gone');
  const time = isUnseen
    ? unseenCost(before, instance, nowMs, worked)
    : (rateOf(instance, before.status) * hoursSince(before, nowMs)) / 2;
  const isEstimated = before.isEstimated || isUnseen;
  return { ...before, dollars: before.dollars + time, atMs: nowMs, isEstimated };
}

/** States before the card is billed. */
const NOT_YET: ReadonlySet<MachineStatus | 'gone'> = new Set([null, 'created', 'loading', 'rebooting']);

/** Whether the card may have run between two observations that did not see it running. */
export function mayRunUnseen(before: MachineStatus | 'gone', status: MachineStatus | 'gone'): boolean {
  return NOT_YET.has(before) && !NOT_YET.has(status) && status !== 'running' && status !== 'frozen';
}

/** The maximum cost. A host's clock is not trusted, so times outside of the machine's life are ignored. */
function unseenCost(
  before: Spent,
  { hourly, storageHourly, createdAtMs }: Rates & Pick<RentedInstance, 'createdAtMs'>,
  nowMs: number,
  worked: Worked | null,
): number {
  const hours = hoursSince(before, nowMs);
  if (worked === null || !isWithin(worked, createdAtMs, nowMs)) return hourly * hours;
  const ranMs = Math.min(nowMs, worked.untilMs) - Math.max(before.atMs, worked.fromMs);
  return storageHourly * hours + ((hourly - storageHourly) * Math.max(0, ranMs)) / HOUR_MS;
}

function isWithin({ fromMs, untilMs }: Worked, sinceMs: number, nowMs: number): boolean {
  return sinceMs <= fromMs && fromMs <= untilMs && fromMs <= nowMs;
}

function hoursSince({ atMs }: Pick<Spent, 'atMs'>, nowMs: number): number {
  return Math.max(0, nowMs - atMs) / HOUR_MS;
}
