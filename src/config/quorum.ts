/** How many people a run's approval takes, by what it costs: one function for the answer, the order and the runner. */

import { compareDecimals } from '../domain/decimal.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

/** The keys that the number of people depends on. */
type QuorumKeys = Pick<LabConfig, 'approvals' | 'clusters'> & {
  readonly lane: Pick<LaneConfig, 'cluster'>;
};

/**
 * Distinct people that the lane's run needs: the row with the highest cost that the
 * run reaches, and never fewer than `approvals.quorum`. A cost that nobody configured counts as the dearest.
 */
export function quorumOf(config: QuorumKeys): number {
  const cost = config.clusters[config.lane.cluster]?.acceleratorHoursPerRun ?? null;
  return peopleNeeded(config.approvals, cost);
}

/** The same for a cost of another moment, decimal text; null counts as the dearest. */
export function peopleNeeded(
  { quorum, quorumByCost }: Pick<LabConfig['approvals'], 'quorum' | 'quorumByCost'>,
  cost: string | null,
): number {
  const reached = quorumByCost.filter(
    (row) => cost === null || compareDecimals(cost, row.fromAcceleratorHours) >= 0,
  );
  return Math.max(quorum, ...reached.map((row) => row.people));
}
