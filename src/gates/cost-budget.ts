/** Gate: one run costs no more than the lane's budget, by the cost table of its cluster. */

import { compareDecimals } from '../domain/decimal.ts';
import { type Gate, given, judging } from './gate.ts';

const { block, pass, warn } = judging('cost-budget');

export const costBudget: Gate = {
  id: 'cost-budget',
  evaluate: ({ manifest, lane }) =>
    given(manifest, ({ cost }) => {
      const budget = lane.costBudget;
      if (budget === null) return pass('no-budget', { cost: cost.acceleratorHours });
      const found = { cost: cost.acceleratorHours, most: budget.maxAcceleratorHours };
      if (compareDecimals(cost.acceleratorHours, budget.maxAcceleratorHours) <= 0)
        return pass('within', found);
      return budget.enforce === 'block' ? block('over', 'lab', found) : warn('over', 'lab', found);
    }),
};
