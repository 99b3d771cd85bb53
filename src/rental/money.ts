/** What rented machines cost: so far, in an hour, and until the next look. */

import type { MachineStatus, RentedInstance } from '../domain/rented.ts';

/** What one instance has cost up to the look that saw it last. */
export type Spent = {
  readonly dollars: number;
  readonly atMs: number;
  /** `gone`: the record says that it had gone. */
  readonly status: MachineStatus | 'gone';
  /** The part of `dollars` that was traffic. */
  readonly traffic: number;
  /** It may have cost less: for a time nobody knows whether its card ran. */
  readonly isEstimated: boolean;
};

/** When the card of a machine ran, by the word of its job: from its beginning to the latest moment at which it can have stopped. */
export type Worked = { readonly fromMs: number; readonly untilMs: number };

const MS_OF_HOUR = 3_600_000;

type Rates = Pick<RentedInstance, 'hourly' | 'storageHourly'>;

/** Dollars an hour in a state: the card is billed while it is `running` or `frozen`, the disk always. */
export function rateOf({ hourly, storageHourly }: Rates, status: MachineStatus | 'gone'): number {
  return status === 'running' || status === 'frozen' ? hourly : storageHourly;
}

/**
 * Books the time since the look before. A state that changed meanwhile is taken to have done so halfway: nobody saw when. One
 * that may have run and stopped in between is booked by `worked`, by machine, and without that as if it had run all the time.
 * So is the whole life of one that is there though it was said to have gone: then nothing that was said of it counts.
 * What no longer is on the account keeps what it has cost.
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

/** Books what one that is gone has cost since it was last seen: it went at some moment between the two looks. */
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

/** States before the first in which the card is billed. */
const NOT_YET: ReadonlySet<MachineStatus | 'gone'> = new Set([null, 'created', 'loading', 'rebooting']);

/** Whether the card may have run between two looks of which neither has seen it run. */
export function mayRunUnseen(before: MachineStatus | 'gone', status: MachineStatus | 'gone'): boolean {
  return NOT_YET.has(before) && !NOT_YET.has(status) && status !== 'running' && status !== 'frozen';
}

/** The most that it can have cost. The clock of a host is a stranger's: times that do not lie in the machine's life say nothing. */
function unseenCost(
  before: Spent,
  { hourly, storageHourly, createdAtMs }: Rates & Pick<RentedInstance, 'createdAtMs'>,
  nowMs: number,
  worked: Worked | null,
): number {
  const hours = hoursSince(before, nowMs);
  if (worked === null || !isWithin(worked, createdAtMs, nowMs)) return hourly * hours;
  const ranMs = Math.min(nowMs, worked.untilMs) - Math.max(before.atMs, worked.fromMs);
  return storageHourly * hours + ((hourly - storageHourly) * Math.max(0, ranMs)) / MS_OF_HOUR;
}

function isWithin({ fromMs, untilMs }: Worked, sinceMs: number, nowMs: number): boolean {
  return sinceMs <= fromMs && fromMs <= untilMs && fromMs <= nowMs;
}

function hoursSince({ atMs }: Pick<Spent, 'atMs'>, nowMs: number): number {
  return Math.max(0, nowMs - atMs) / MS_OF_HOUR;
}

export type Money = {
  readonly dollars: number;
  /** Of our fleet, now. */
  readonly hourly: number;
  /** What everything that is there costs until the next look. */
  readonly untilNextLook: number;
  /** The account cannot pay until then: Vast.ai would stop machines in the middle of their work. */
  readonly isShort: boolean;
};

/** The money at a look; `credit` null: nobody knows it, which is no alarm of its own. */
export function moneyAt(
  spent: ReadonlyMap<number, Spent>,
  instances: readonly RentedInstance[],
  credit: number | null,
  untilNextLookMs: number,
): Money {
  const hourlyOf = (among: readonly RentedInstance[]): number =>
    among.reduce((sum, one) => sum + rateOf(one, one.status ?? 'running'), 0);
  const untilNextLook = (hourlyOf(instances) * untilNextLookMs) / MS_OF_HOUR;
  return {
    dollars: [...spent.values()].reduce((sum, one) => sum + one.dollars, 0),
    hourly: hourlyOf(instances.filter(({ jobId }) => jobId !== null)),
    untilNextLook,
    isShort: credit !== null && credit < untilNextLook,
  };
}
