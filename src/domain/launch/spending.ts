/** Cost of launches at their approved estimate, by the day of the claim, per week and month. */

import { addDecimals } from '../decimal.ts';
import { NO_ORDER } from '../logbook/adoption.ts';
import { isLive } from '../logbook/liveness.ts';
import { microdollarsOf, rentalTerms } from '../logbook/renting.ts';
import { type IssuedOrder, ordersOf, type RunState } from '../logbook/run-state.ts';
import { dateAfter, WEEKDAYS, weekdayOf } from '../values.ts';

export const PERIODS = ['week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** `acceleratorHours` null: unknown. */
export type Launch = { readonly date: string; readonly acceleratorHours: string | null };

/** A run's launches, without orders that certainly started nothing. */
export function launchesOf(state: RunState): readonly Launch[] {
  return ordersOf(state).flatMap(launchOf);
}

function launchOf({ claim, status, manifest, digest }: IssuedOrder): readonly Launch[] {
  // Adopted jobs were not paid for here.
  if (claim === null || status === 'failed' || digest === NO_ORDER) return [];
  return [{ date: claim.at.slice(0, 10), acceleratorHours: manifest?.cost.acceleratorHours ?? null }];
}

/** `0` without launches; null if one cost is unknown. */
export function costOf(launches: readonly Launch[]): string | null {
  return launches.reduce<string | null>(
    (sum, { acceleratorHours }) =>
      sum === null || acceleratorHours === null ? null : addDecimals(sum, acceleratorHours),
    '0',
  );
}

/** In UTC: a week by its Monday (`2026-11-16`), a month as `2026-11`. */
export function periodOf(period: Period, date: string): string {
  if (period === 'month') return date.slice(0, 7);
  const sinceMonday = (WEEKDAYS.indexOf(weekdayOf(date)) + 6) % 7;
  return dateAfter(date, -sinceMonday);
}

/** Launches in the period of this date. */
export function launchesIn(launches: readonly Launch[], period: Period, date: string): readonly Launch[] {
  const wanted = periodOf(period, date);
  return launches.filter((launch) => periodOf(period, launch.date) === wanted);
}

/**
 * Rental cost up to the newest observation, in millionths of a dollar, on the day of the newest claim. `dollars`: what counts against a
 * limit, the approved maximum while the run is live.
 */
export type RentedMoney = {
  readonly lane: string;
  readonly cluster: string;
  readonly date: string;
  readonly microdollars: number;
  readonly dollars: string;
};
export type RentalSpending = Pick<RentedMoney, 'cluster' | 'date' | 'dollars'>;

/** Null if the run rented nothing. */
export function rentedMoneyOf(state: RunState): RentedMoney | null {
  const { order, proposal } = state;
  const terms = rentalTerms(state);
  if (terms === null || order?.claim == null || order.manifest === null) return null;
  const microdollars = microdollarsOf(state);
  return {
    lane: proposal.lane,
    cluster: order.manifest.cluster,
    date: order.claim.at.slice(0, 10),
    microdollars,
    dollars: isLive(state) ? terms.dollarsMax : (microdollars / 1_000_000).toFixed(6),
  };
}
