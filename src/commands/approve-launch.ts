/** `/approve-launch [digest]`: a person takes responsibility for exactly the manifest that was shown (decision D4). */

import { mayApprove } from '../config/may-approve.ts';
import { allPass } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { isLive, standingApprovals } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { answer, type CommandContext, type CommandDecision } from './decision.ts';
import type { CommandDefinition } from './definition.ts';
import { digestPrefix } from './values.ts';

export const approveLaunch: CommandDefinition = {
  name: 'approve-launch',
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: {},
  who: (policy) => (policy.approveUsers.length > 0 ? 'write' : policy.approvePermission),
  summary: 'Approves the launch of exactly the manifest that the card shows.',
  example: '/approve-launch 3f9a1c22b0d4',
  decide,
};

function decide(context: CommandContext): CommandDecision {
  const { state, policy, actor, gates } = context;
  const approvers = { permission: policy.approvePermission, users: policy.approveUsers };
  if (!mayApprove(context.permission, actor.id, approvers))
    return answer('not-permitted', { needs: policy.approvePermission });
  // After a stop no order may follow (`transition`): an approval would promise a launch that cannot come.
  if (state.end !== null || state.submission !== null || state.stop !== null || isLive(state))
    return answer('approval-not-now', { jobId: state.submission?.jobId ?? '' });
  if (!policy.onePersonIsEnough && context.interested.some((person) => person.id === actor.id))
    return answer('approval-by-author');
  if (gates === null || gates.digest === null || !allPass(gates.verdicts)) {
    const open = gates?.verdicts.filter((v) => v.outcome === 'fail' || v.outcome === 'unknown') ?? [];
    return answer('approval-gates-blocked', {
      count: open.length,
      first: open[0]?.gate ?? '',
      code: open[0]?.code ?? '',
    });
  }
  const refusal = digestRefusal(context, gates.digest);
  if (refusal !== null) return refusal;
  return approve(context, gates.digest);
}

/**
 * A bare approval means what the bot had shown, unchanged, for the configured time before the comment was written; one
 * that names the digest means that manifest, with the text that was shown beside it when the comment was written.
 */
function digestRefusal(context: CommandContext, digest: string): CommandDecision | null {
  const given = context.args['digest'];
  const hex = digest.slice('sha256:'.length);
  if (given !== undefined && !hex.startsWith(given.replace(/^sha256:/, '').toLowerCase()))
    return answer('approval-digest-changed', { given, digest: hex.slice(0, 12) });
  const { gate } = context.state;
  const shownAt = gate?.digest === digest ? fromRfc3339(gate.shownAt) : null;
  // GitHub tells whole seconds, and its clock is not ours.
  const waitMs = given === undefined ? context.policy.shownForMs : -limits.clockSlackMs;
  return shownAt === null || context.comment.createdAt < shownAt + waitMs
    ? answer('approval-digest-needed', { digest: hex.slice(0, 12) })
    : null;
}

function approve(
  context: CommandContext,
  digest: NonNullable<NonNullable<CommandContext['gates']>['digest']>,
): CommandDecision {
  const { state, actor, comment, policy, gates } = context;
  const standing = standingApprovals(state);
  if (standing.some((a) => a.actor.id === actor.id))
    return answer('already-approved', { digest: digest.slice(7, 19) });
  if (gates === null || comment.surface === 'review-comment')
    return answer('approval-not-now', { jobId: '' });
  const count = standing.length + 1;
  const draft = {
    type: 'approved',
    role: 'control',
    actor,
    data: {
      digest,
      comment: comment.id,
      surface: comment.surface,
      bodyDigest: comment.bodyDigest,
      body: gates.body,
    },
  } as const;
  const detail = { digest: digest.slice(7, 19), count, quorum: policy.quorum };
  return answer(count >= policy.quorum ? 'approved' : 'approved-waiting-for-more', detail, [draft]);
}
