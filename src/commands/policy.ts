/** The config keys that commands read, as the commands name them. */

import { maxAgeMsOf } from '../config/approval-age.ts';
import type { LabConfig } from '../config/schema.ts';
import type { CommandPolicy } from './decision.ts';

/** Who may do what in this lab; `quorum`: how many people an approval takes (`quorumOf`, which needs more of the config). */
export function policyOf(
  config: Pick<LabConfig, 'approvals' | 'permissions'>,
  quorum: number = config.approvals.quorum,
): CommandPolicy {
  return {
    approvePermission: config.approvals.permission,
    approveUsers: config.approvals.users,
    quorum,
    onePersonIsEnough: config.approvals.onePersonIsEnough,
    shownForMs: config.approvals.shownForMs,
    approvalMaxAgeMs: maxAgeMsOf(config),
    stopPermission: config.permissions.stop,
    ackPermission: config.permissions.ack,
    sealPermission: config.permissions.seal,
    holdPermission: config.permissions.hold,
    skipPermission: config.permissions.skip,
    freezePermission: config.permissions.freeze,
    revokePermission: config.permissions.revoke,
    proposePermission: config.permissions.propose,
    carePermission: config.permissions.care,
  };
}
