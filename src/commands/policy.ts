/** The config keys that commands read, as the commands name them. */

import { quorumOf } from '../config/quorum.ts';
import type { LabConfig } from '../config/schema.ts';
import type { CommandPolicy } from './decision.ts';

/** Who may do what in this lab, and how many it takes. */
export function policyOf(config: Pick<LabConfig, 'approvals' | 'permissions'>): CommandPolicy {
  return {
    approvePermission: config.approvals.permission,
    approveUsers: config.approvals.users,
    quorum: quorumOf(config),
    onePersonIsEnough: config.approvals.onePersonIsEnough,
    shownForMs: config.approvals.shownForMs,
    stopPermission: config.permissions.stop,
    ackPermission: config.permissions.ack,
    sealPermission: config.permissions.seal,
    holdPermission: config.permissions.hold,
    skipPermission: config.permissions.skip,
    freezePermission: config.permissions.freeze,
    revokePermission: config.permissions.revoke,
  };
}
