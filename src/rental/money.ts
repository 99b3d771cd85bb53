/** What rented machines cost: so far, in an hour, and until the next look. */

import type { InstanceStatus, RentedInstance } from './fleet.ts';

/** What one instance has cost up to the look that saw it last. */
export type Spent = { readonly dollars: number; readonly atMs: number; readonly status: InstanceStatus };

const MS_OF_HOUR = 3_600_000;

/** Dollars an hour in a state: the card is billed while it is `running` or `frozen`, the disk always. */
export function rateOf({ hourly, storageHourly }: RentedInstance, status: InstanceStatus): number {
  return status === 'running' || status === 'frozen' ? hourly : storageHourly;
}

/**
 * Books the time since the look before. A state that changed meanwhile is taken to have done so halfway: nobody saw when.
 * What no longer is on the account keeps what it has cost.
 */
export function bookCosts(
  spent: ReadonlyMap<number, Spent>,
  instances: readonly RentedInstance[],
  nowMs: number,
): ReadonlyMap<number, Spent> {
  const booked = new Map(spent);
  for (const instance of instances) {
    if (instance.jobId === null) continue;
    const { id, status, createdAtMs } = instance;
    const before = spent.get(id) ?? { dollars: 0, atMs: createdAtMs, status: null };
    const hours = Math.max(0, nowMs - before.atMs) / MS_OF_HOUR;
    const rate = (rateOf(instance, before.status) + rateOf(instance, status)) / 2;
    booked.set(id, { dollars: before.dollars + rate * hours, atMs: nowMs, status });
  }
  return booked;
}

/** Books what one that is gone has cost since it was last seen: it went at some moment between the two looks. */
export function bookGone(before: Spent, instance: RentedInstance, nowMs: number): Spent {
  const hours = Math.max(0, nowMs - before.atMs) / MS_OF_HOUR / 2;
  return { ...before, dollars: before.dollars + rateOf(instance, before.status) * hours, atMs: nowMs };
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
