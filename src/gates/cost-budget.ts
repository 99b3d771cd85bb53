/** Gate: one run costs no more than the lane's budget, by the cost table of its cluster, and nor do the runs of a period. */

import type { LaneConfig } from '../config/lane-schema.ts';
import { addDecimals, compareDecimals } from '../domain/decimal.ts';
import {
  costOf,
  type Launch,
  launchesIn,
  PERIODS,
  type Period,
  periodOf,
} from '../domain/launch/spending.ts';
import { dateOf } from '../domain/time.ts';
import { cannotTell, type Gate, given, type Judgement, judging } from './gate.ts';

const { block, pass, warn } = judging('cost-budget');

type Budget = NonNullable<LaneConfig['costBudget']>;

export const costBudget: Gate = {
  id: 'cost-budget',
  evaluate: ({ manifest, lane, launches, now }) =>
    given(manifest, ({ cost: { acceleratorHours: cost } }) => {
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
};

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
