/** Who may approve a launch, how many people it takes, and how old an approval may be. */

import { type Permission, permits } from '../domain/actor.ts';
import { compareDecimals } from '../domain/values.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

const MS_PER_HOUR = 3_600_000;

/** From its writing, by GitHub's clock, to the order and to the claim. */
export function maxAgeMsOf({ approvals }: Pick<LabConfig, 'approvals'>): number {
  return approvals.maxAgeHours * MS_PER_HOUR;
}

/** Whether a person may approve: by permission, or by the config's list of ids together with the right to write. */
export function mayApprove(
  permission: Permission,
  user: number,
  { permission: least, users }: { readonly permission: Permission; readonly users: readonly number[] },
): boolean {
  return permits(permission, least) || (permits(permission, 'write') && users.includes(user));
}

/** The keys that the number of people depends on. */
type QuorumKeys = Pick<LabConfig, 'approvals' | 'clusters'> & {
  readonly lane: Pick<LaneConfig, 'cluster'>;
};

/**
 * Distinct people that the lane's run needs: the row with the highest cost that the
 * run reaches, and never fewer than `approvals.quorum`. A cost that nobody configured counts as the dearest.
 */
export function quorumOf({ approvals, clusters, lane }: QuorumKeys): number {
  const cost = clusters[lane.cluster]?.acceleratorHoursPerRun ?? null;
  const reached = approvals.quorumByCost.filter(
    (row) => cost === null || compareDecimals(cost, row.fromAcceleratorHours) >= 0,
  );
  return Math.max(approvals.quorum, ...reached.map((row) => row.people));
}
