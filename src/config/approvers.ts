/** Who may approve a launch, how many people must approve, and how old an approval may be. */

import { type Permission, permits } from '../domain/actor.ts';
import { compareDecimals } from '../domain/values.ts';
import { idsOf, type ListedPeople } from './approvals-schema.ts';
import type { LaneConfig } from './lane-schema.ts';
import type { LabConfig } from './schema.ts';

const MS_PER_HOUR = 3_600_000;

/** Maximum age of an approval in ms, from the comment's time on GitHub's clock until the order and until the claim. */
export function approvalMaxAgeMs({ approvals }: Pick<LabConfig, 'approvals'>): number {
  return approvals.maxAgeHours * MS_PER_HOUR;
}

/** Whether a person may approve: by permission, or as a listed person with at least write permission. */
export function canApprove(
  permission: Permission,
  user: number,
  { permission: least, users }: { readonly permission: Permission; readonly users: readonly ListedPeople[] },
): boolean {
  return permits(permission, least) || (permits(permission, 'write') && idsOf(users).includes(user));
}

/** The config keys that determine the number of required approvers. */
type QuorumKeys = Pick<LabConfig, 'approvals' | 'clusters'> & { readonly lane: Pick<LaneConfig, 'cluster'> };

/**
 * Number of distinct approvers that the lane's run needs: the highest row of `quorumByCost` that the run's cost reaches,
 * and at least `approvals.quorum`. A cluster without a configured cost counts as the most expensive.
 */
export function requiredQuorum({ approvals, clusters, lane }: QuorumKeys): number {
  const cost = clusters[lane.cluster]?.acceleratorHoursPerRun ?? null;
  const reached = approvals.quorumByCost.filter(
    (row) => cost === null || compareDecimals(cost, row.fromAcceleratorHours) >= 0,
  );
  return Math.max(approvals.quorum, ...reached.map((row) => row.people));
}
