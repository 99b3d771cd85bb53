/** `/approve-checkpoint-cleanup DIGEST`: somebody who may approve, and did not ask for the list, consents to exactly it (policy HR-63). */

import { ownListFault } from '../care/own-list.ts';
import { mayApprove } from '../config/may-approve.ts';
import { CONSENT_ANSWERS, consentAnswer, decideConsent } from './consent.ts';
import type { CommandContext, CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { digestPrefix } from './values.ts';

const KIND = 'delete-checkpoint';

export const approveCheckpointCleanup = {
  name: 'approve-checkpoint-cleanup',
  answers: CONSENT_ANSWERS,
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: {},
  who: (policy) => (policy.approveUsers.length > 0 ? 'write' : policy.approvePermission),
  summary:
    'Consents to the deletion of exactly the checkpoints that were listed in this thread; once, within the hour.',
  example: '/approve-checkpoint-cleanup 3f9a1c22b0d4e5f60718293a4b5c6d7e',
  decide,
} as const satisfies CommandDefinition;

function decide(context: CommandContext): CommandDecision {
  const { policy, permission, actor, state, now } = context;
  const approvers = { permission: policy.approvePermission, users: policy.approveUsers };
  if (!mayApprove(permission, actor.id, approvers))
    return consentAnswer('not-permitted', { needs: policy.approvePermission });
  const decided = decideConsent(context, [KIND]);
  const [draft] = decided.drafts;
  if (draft?.type !== 'consented') return decided;
  const meant = state.mutations.find(({ digest }) => digest === draft.data.proposal);
  const fault =
    meant === undefined
      ? null
      : ownListFault(meant, actor.id, now, {
          onePersonIsEnough: policy.onePersonIsEnough,
          maxAgeMs: policy.approvalMaxAgeMs,
        });
  if (fault === 'own') return consentAnswer('cleanup-own');
  if (fault === 'old')
    return consentAnswer('cleanup-list-old', { hours: Math.round(policy.approvalMaxAgeMs / 3_600_000) });
  return decided;
}
