/** How many people a run's approval takes, by what it costs: one function for the answer, the order and the runner. */

import { compareDecimals } from '../domain/decimal.ts';
import type { LabConfig } from './schema.ts';

/**
 * Distinct people that the lane's run needs (issue *the gate*, Approval and trust): the row with the highest cost that the
 * run reaches, and never fewer than `approvals.quorum`. A cost that nobody configured counts as the dearest.
 */
export function quorumOf(config: Pick<LabConfig, 'approvals' | 'clusters' | 'lanes'>): number {
  const { quorum, quorumByCost } = config.approvals;
  const cost = config.clusters[config.lanes.daily.cluster]?.acceleratorHoursPerRun;
  const reached = quorumByCost.filter(
    (row) => cost === undefined || compareDecimals(cost, row.fromAcceleratorHours) >= 0,
  );
  return Math.max(quorum, ...reached.map((row) => row.people));
}
