/** Gate: one run costs no more than the lane's budget, by the cost table of its cluster, and nor do the runs of a period. */

import type { LaneConfig } from '../config/lane-schema.ts';
import { addDecimals, compareDecimals } from '../domain/decimal.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import {
  costOf,
  type Launch,
  launchesIn,
  PERIODS,
  type Period,
  periodOf,
} from '../domain/launch/spending.ts';
import { dateOf } from '../domain/time.ts';
import { cannotTell, type Gate, type GateFacts, given, type Judgement, judging } from './gate.ts';

const { block, pass, warn } = judging('cost-budget');

type Budget = NonNullable<LaneConfig['costBudget']>;

export const costBudget: Gate = {
  id: 'cost-budget',
  evaluate: ({ manifest, lane, launches, rentals, now }) =>
    given(manifest, ({ cost: { acceleratorHours: cost }, envelope, cluster }) => {
      const rented = rentedTooMuch(envelope.rental, rentals, cluster, dateOf(now));
      if (rented !== null) return rented;
      const budget = lane.costBudget;
      if (budget === null) return pass('no-budget', { cost });
      const found = { cost, most: budget.maxAcceleratorHours };
      if (compareDecimals(cost, budget.maxAcceleratorHours) > 0)
        return budget.enforce === 'block' ? block('over', 'lab', found) : warn('over', 'lab', found);
      const periods = PERIODS.filter((period) => mostIn(budget, period) !== null);
      if (periods.length === 0) return pass('within', found);
      return given(launches, (all) => {
        const answers = periods.map((period) => inPeriod(budget, period, all, cost, dateOf(now)));
        return answers.find((one) => one !== null) ?? pass('within', found);
      });
    }),
  readsSettings: true,
};

/** Null where everything that the run may rent fits into what is left of the day and of the month on its cluster. */
function rentedTooMuch(
  terms: Manifest['envelope']['rental'],
  rentals: GateFacts['rentals'],
  cluster: string,
  date: string,
): Judgement | null {
  if (terms === undefined) return null;
  const { dollarsMax: cost, dollarsPerDayMax, dollarsPerMonthMax } = terms;
  const budgets = [
    { period: 'day', from: date, most: dollarsPerDayMax },
    { period: 'month', from: date.slice(0, 7), most: dollarsPerMonthMax },
  ] as const;
  for (const { period, from, most } of budgets) {
    if (most === null) continue;
    if (rentals === undefined) return cannotTell('what other runs have rented is not known');
    if (rentals.kind === 'unknown') return cannotTell(rentals.why);
    const here = rentals.value.filter((one) => one.cluster === cluster && one.date.startsWith(from));
    const spent = here.reduce((sum, { dollars }) => addDecimals(sum, dollars), '0');
    if (compareDecimals(addDecimals(spent, cost), most) > 0)
      return block('over-rented', 'lab', { cost, spent, most, period, from });
  }
  return null;
}

/** Null where the run fits into the period of this day. */
function inPeriod(
  budget: Budget,
  period: Period,
  launches: readonly Launch[],
  cost: string,
  date: string,
): Judgement | null {
  const most = mostIn(budget, period);
  if (most === null) return null;
  const spent = costOf(launchesIn(launches, period, date));
  if (spent === null)
    return cannotTell(`the record does not say what a launch of this ${period} was to cost`);
  if (compareDecimals(addDecimals(spent, cost), most) <= 0) return null;
  const found = { cost, spent, most, period, from: periodOf(period, date) };
  return budget.enforce === 'block' ? block('over-period', 'lab', found) : warn('over-period', 'lab', found);
}

function mostIn({ perWeek, perMonth }: Budget, period: Period): string | null {
  return period === 'week' ? perWeek : perMonth;
}
