/** Rules for approvals and costs: dearer runs need more people, and every row of a table can be reached. */

import { error, warning } from '../../settings/problem.ts';
import { doubled, inLane, type Rule } from './rule.ts';

const quorumGrowsWithCost: Rule = ({ approvals: { quorum, quorumByCost } }) =>
  quorumByCost.flatMap((row, index) => {
    const before = quorumByCost[index - 1];
    const place = ['approvals', 'quorumByCost', index];
    if (before !== undefined && Number(row.fromAcceleratorHours) <= Number(before.fromAcceleratorHours))
      return [
        error(
          'quorum-order',
          [...place, 'fromAcceleratorHours'],
          'not more than the row before: rows go from cheap to dear',
        ),
      ];
    const least = before?.people ?? quorum;
    return row.people < least
      ? [error('quorum-order', [...place, 'people'], `a dearer run would need fewer people than ${least}`)]
      : [];
  });

const quorumCanBeReached: Rule = ({ approvals: { quorumByCost }, lane }) => {
  const { costBudget } = lane;
  if (costBudget === null || costBudget.enforce !== 'block') return [];
  return quorumByCost.flatMap((row, index) =>
    Number(row.fromAcceleratorHours) > Number(costBudget.maxAcceleratorHours)
      ? [
          warning(
            'quorum-unreached',
            ['approvals', 'quorumByCost', index, 'fromAcceleratorHours'],
            'no run comes so far: the cost budget blocks it before',
          ),
        ]
      : [],
  );
};

const approversAreThereOnce: Rule = ({ approvals: { users } }) =>
  doubled(users.map(String), (index) => ['approvals', 'users', index], 'the person');

const budgetLetsARunThrough: Rule = ({ clusters, lane }) => {
  const { cluster, costBudget } = lane;
  const cost = Object.hasOwn(clusters, cluster) ? clusters[cluster]?.acceleratorHoursPerRun : undefined;
  if (costBudget === null || cost === undefined || Number(cost) <= Number(costBudget.maxAcceleratorHours))
    return [];
  return [
    warning(
      'cost-over-budget',
      inLane('costBudget', 'maxAcceleratorHours'),
      `every run costs ${cost} accelerator-hours by the table of ${cluster}`,
    ),
  ];
};

export const APPROVAL_RULES: readonly Rule[] = [
  quorumGrowsWithCost,
  quorumCanBeReached,
  approversAreThereOnce,
  budgetLetsARunThrough,
];
