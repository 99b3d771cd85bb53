/**
 * `/approve DIGEST`: a person approves exactly the action with this digest, as proposed in this thread. Actions replace a node,
 * clear a disk, start the clean-up job, or delete listed checkpoints (policy ML-02, ML-30, AG-18, AG-21, HR-63).
 */

import { findApproverFault } from '../care/action-approval.ts';
import { approvalMaxAgeMs } from '../config/approvals-schema.ts';
import {
  type ActionRecord,
  approvalEndsAt,
  describeTarget,
  proposalPostedAt,
  wasPendingAt,
} from '../domain/actions/action.ts';
import { holdTargetFacts } from '../domain/launch/hold.ts';
import { compareDigest, wasPostedBefore } from '../domain/launch/order.ts';
import type { EventDraft } from '../domain/logbook/define.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { request } from '../domain/reconcile-request.ts';
import { shortDigestHex, toRfc3339 } from '../domain/values.ts';
import { type AnswerDecision, answer, type CommandDefinition, NOT_ON_A_LINE, type PlaceContext } from './decision.ts';
import { digestPrefix } from './values.ts';

export const approve = {
  name: 'approve',
  positional: { name: 'digest', required: false, value: digestPrefix },
  keys: {},
  // Each action has its own minimum permission (`findApproverFault`), which is at least `write`.
  permission: () => 'write',
  summary:
    'Approves the action that this thread proposes under this digest, such as the replacement of a node or the deletion of checkpoints: copy its line. A change of a cluster needs `permissions.care`; the deletion of checkpoints needs an approver of launches.',
  example: '/approve 3f9a1c22b0d4e5f60718293a4b5c6d7e',
  confusedWith: [
    'approve-node-delete',
    'approve-disk-cleanup',
    'approve-start-cleanup',
    'approve-checkpoint-cleanup',
    'consent',
  ],
  decide: (context) => {
    const visibleSince = context.visibleSince();
    const unread = context.state.actions.filter(
      ({ digest, claim, ended }) => claim === null && ended === null && !visibleSince.has(digest),
    );
    return unread.length > 0
      ? request(...unread.map(({ digest }) => ({ fact: 'proposalTexts', of: digest }) as const))
      : decideActionApproval(context, [context.state]);
  },
  decideWithoutRun: (context) => {
    const runs = context.recordedRuns.kind === 'known' ? context.recordedRuns.value : [];
    return belongsToEndedRun(context.args['digest'], runs) ? null : decideActionApproval(context, runs);
  },
} as const satisfies CommandDefinition;

type ActionContext = Pick<
  PlaceContext,
  'now' | 'actor' | 'permission' | 'comment' | 'args' | 'policy' | 'actions' | 'visibleSince' | 'holds'
>;

/** `runs`: runs with a launch digest that the person may have copied. The approval is recorded where the proposal is. */
function decideActionApproval(context: ActionContext, runs: readonly RunState[]): AnswerDecision {
  const { actions, args, comment } = context;
  if (actions.kind === 'unknown') return answer('logbook-broken');
  const given = args['digest'];
  const waiting = actions.value.filter((one) => one.ended === null && wasPendingAt(one, comment));
  const meant =
    given === undefined ? undefined : actions.value.findLast(({ digest }) => compareDigest(given, digest) !== 'other');
  if (meant === undefined) {
    const launch = runs.find(({ gate }) => compareDigest(given, gate?.digest ?? '') === 'named');
    if (launch?.gate?.digest != null && !isOver(launch))
      return answer('approval-line-needed', {
        why: 'other-kind',
        lines: `approve-launch ${shortDigestHex(launch.gate.digest)}`,
      });
    if (waiting.length === 0) return answer('action-nothing-proposed');
    return given === undefined
      ? answer('approval-line-needed', { why: 'no-digest', lines: approvalLines(waiting) })
      : answer('approval-line-needed', { why: 'other-digest', about: given, lines: approvalLines(waiting) });
  }
  const refused = findApprovalRefusal(context, meant);
  if (refused !== null) return refused;
  return compareDigest(given, meant.digest) === 'named'
    ? recordActionApproval(context, meant)
    : answer('approval-line-needed', { why: 'no-digest', lines: approvalLines([meant]) });
}

/** For such a digest, the general answer reports that the run is over. */
function belongsToEndedRun(given: string | undefined, runs: readonly RunState[]): boolean {
  return runs.some((run) => isOver(run) && run.actions.some(({ digest }) => compareDigest(given, digest) === 'named'));
}

function approvalLines(records: readonly ActionRecord[]): string {
  return records.map(({ digest }) => `approve ${shortDigestHex(digest)}`).join('\n');
}

/** Whether the proposal was visible when the comment was written. False if its history is unreadable. */
function wasShownWhenApproved({ comment, visibleSince }: ActionContext, { digest }: ActionRecord): boolean {
  const since = visibleSince().get(digest);
  return since?.kind === 'known' && since.value !== null && wasPostedBefore(since.value, comment.createdAt);
}

function findApprovalRefusal(context: ActionContext, one: ActionRecord): AnswerDecision | null {
  const { comment, now, policy, actor, permission } = context;
  const { proposal, ended, claim: begun } = one;
  const fault = findApproverFault(one, actor, permission, { ...policy.approvals, care: policy.permissions.care });
  if (fault === 'not-permitted')
    return answer('not-permitted', {
      needs: proposal.change.kind === 'delete-checkpoint' ? policy.approvals.permission : policy.permissions.care,
      held: permission,
    });
  if (ended !== null) return answer('action-done', { outcome: ended.outcome, code: ended.code });
  if (proposal.thread !== comment.thread) return answer('action-other-thread', { thread: proposal.thread });
  if (begun !== null) return answer('close-under-way');
  if (comment.surface === 'review-comment') return NOT_ON_A_LINE;
  const shownAt = proposalPostedAt(one);
  if (shownAt === null || !wasPostedBefore(shownAt, comment.createdAt)) return answer('action-nothing-proposed');
  if (!wasShownWhenApproved(context, one)) return answer('action-not-shown', { lines: approvalLines([one]) });
  const maxAgeMs = approvalMaxAgeMs(policy);
  if (now >= comment.createdAt + maxAgeMs)
    return answer('approval-line-needed', {
      why: 'too-old',
      about: String(policy.approvals.maxAgeHours),
      lines: approvalLines([one]),
    });
  if (context.holds.kind === 'unknown') return answer('logbook-broken');
  const hold = context.holds.value[0];
  if (hold !== undefined) return answer('action-held', { ...holdTargetFacts(hold), reason: hold.reason });
  if (fault === 'own') return answer('approval-by-author');
  const given = one.approvals.find((each) => now < approvalEndsAt(each, maxAgeMs));
  if (given === undefined) return null;
  return answer('already-approved', { digest: one.digest.slice(7, 19), by: given.actor?.login ?? 'the config' });
}

function recordActionApproval({ actor, comment }: ActionContext, { proposal, digest }: ActionRecord): AnswerDecision {
  if (comment.surface === 'review-comment') throw new Error('an approval on a line of the change');
  const draft: EventDraft = {
    type: 'action-approved',
    role: 'control',
    actor,
    data: {
      proposal: digest,
      source: {
        kind: 'comment',
        comment: comment.id,
        surface: comment.surface,
        thread: comment.thread,
        bodyDigest: comment.bodyDigest,
        writtenAt: toRfc3339(comment.createdAt),
      },
    },
  };
  const detail = { kind: proposal.change.kind, target: describeTarget(proposal.change), digest: digest.slice(7, 19) };
  return proposal.record === 'journal'
    ? answer('action-approved', detail, [], [draft])
    : answer('action-approved', detail, [draft]);
}
