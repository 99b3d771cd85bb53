/** Config values that decide commands. */

import { maxAgeMsOf } from '../config/approvers.ts';
import type { LabConfig } from '../config/schema.ts';
import type { CommandPolicy } from './decision.ts';

/** The lab's rules for commands. `quorum`: required approvers (`quorumOf` needs more of the config). */
export function policyOf(
  config: Pick<LabConfig, 'approvals' | 'permissions' | 'onCall'>,
  quorum: number = config.approvals.quorum,
): CommandPolicy {
  const { approvals, permissions, onCall } = config;
  const handoffMs = onCall.handoffMinutes * 60_000;
  return { approvals, quorum, approvalMaxAgeMs: maxAgeMsOf(config), handoffMs, permissions };
}
