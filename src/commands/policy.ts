/** The rules of a lab's config that commands are decided by. */

import { maxAgeMsOf } from '../config/approval-age.ts';
import type { LabConfig } from '../config/schema.ts';
import type { CommandPolicy } from './decision.ts';

/** Who may do what in this lab; `quorum`: how many people an approval takes (`quorumOf`, which needs more of the config). */
export function policyOf(
  config: Pick<LabConfig, 'approvals' | 'permissions' | 'onCall'>,
  quorum: number = config.approvals.quorum,
): CommandPolicy {
  const { approvals, permissions, onCall } = config;
  return {
    approvePermission: approvals.permission,
    approveUsers: approvals.users,
    quorum,
    onePersonIsEnough: approvals.onePersonIsEnough,
    shownForMs: approvals.shownForMs,
    approvalMaxAgeMs: maxAgeMsOf(config),
    handoffMs: onCall.handoffMinutes * 60_000,
    permissions,
  };
}
