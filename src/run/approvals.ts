/** Turns recorded approvals into gate facts, and drops those that are no longer valid. */

import { dropByBrake } from '../commands/brakes.ts';
import { approvalMaxAgeMs, canApprove } from '../config/approvals-schema.ts';
import { requiredQuorum } from '../config/lane-of-file.ts';
import { permits } from '../domain/actor.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import { filterHolds } from '../domain/launch/hold.ts';
import { isBeforeLaunch, lastFailure, restartsLeft } from '../domain/launch/next-attempt.ts';
import { compareDigest } from '../domain/launch/order.ts';
import { envelopeApprovals, isApprovalTooOld, usableApprovals, wantsRelaunch } from '../domain/launch/response.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import { type Approval, listCurrentApprovals, type RunState } from '../domain/logbook/run-state.ts';
import { commentId } from '../domain/marker.ts';
import { type FactRequest, type Need, request } from '../domain/reconcile-request.ts';
import { type Digest, type Instant, known, type Observed, unknown } from '../domain/values.ts';
import { type ApprovalFacts, type ApprovalStanding, approvalVerdicts } from '../gates/gate.ts';
import type { LaneScopedConfig } from './lane.ts';
import { readOfferedDigests } from './pending-commands.ts';
import { append, type DeciderInput, type Step } from './step.ts';

/** Every approval that was not dropped, checked against its current comment and the person's current permission. */
export function gatherApprovalFacts(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
): ApprovalFacts {
  return buildApprovalFacts(state, config, (approval) => judgeApproval(approval, { state, facts, config, now }));
}

/** The verdicts of the approval gates for the card, which uses only the record. */
export function recordedApprovalVerdicts(state: RunState, config: LaneScopedConfig): readonly Verdict[] {
  const digest = state.gate?.digest ?? null;
  const body = state.gate?.body ?? null;
  return approvalVerdicts({
    approvals: known(buildApprovalFacts(state, config, () => known('counts'))),
    bound: digest === null || body === null ? unknown('there is no manifest') : known({ digest, body }),
  });
}

/** The approvals that control rechecks. Once control has ordered a launch, the runner checks them instead. */
function listApprovalsToCheck(state: RunState): readonly Approval[] {
  const isOrdered = state.order?.status === 'open' || state.order?.status === 'claimed';
  const isAwaited = isBeforeLaunch(state) || wantsRelaunch(state);
  return isAwaited && !isOrdered ? usableApprovals(state) : [];
}

function buildApprovalFacts(
  state: RunState,
  config: LaneScopedConfig,
  standing: (approval: Approval) => Observed<ApprovalStanding>,
): ApprovalFacts {
  const drop = state.drops.at(-1);
  const resting = usableApprovals(state);
  const isOfBefore = new Set(listCurrentApprovals(state).filter((one) => !resting.includes(one)));
  const beforehand = envelopeApprovals(state)[0]?.digest;
  return {
    needed: requiredQuorum(config),
    ...(beforehand === undefined ? {} : { preApproval: beforehand }),
    approvals: state.approvals
      .filter((approval) => !isOfBefore.has(approval))
      .map((approval) => ({
        actor: approval.actor,
        digest: approval.digest,
        body: approval.body,
        at: approval.at,
        status: standing(approval),
      })),
    lastDrop: drop === undefined ? null : { reason: drop.data.reason, digest: drop.data.digest },
  };
}

/** A comment missing from the threads counts as gone only if GitHub has none with its id. */
function judgeApproval(
  approval: Approval,
  { state, facts, config, now }: Pick<DeciderInput, 'state' | 'facts' | 'config' | 'now'>,
): Observed<ApprovalStanding> {
  const read = findApprovalComment(approval, facts);
  if (read.kind === 'unknown') return read;
  const comment = read.value;
  const isAsGiven =
    comment !== null &&
    comment.editedAt === null &&
    comment.bodyDigest === approval.bodyDigest &&
    !comment.minimized &&
    (comment.surface !== 'review' || comment.commit === approvedCommit(state, approval));
  if (!isAsGiven) return known('approval-invalid');
  const { createdAt } = comment;
  if (isApprovalTooOld(state, { digest: approval.digest, createdAt }, now, approvalMaxAgeMs(config)))
    return known('approval-outdated');
  const permission = facts.permissions.get(approval.actor.id);
  if (permission === undefined) return unknown('the permission of an approver was not asked for');
  if (permission.kind === 'unknown') return permission;
  return known(canApprove(permission.value, approval.actor.id, config.approvals) ? 'counts' : 'approver-not-permitted');
}

/** The commit that was approved; for a fix that was approved in advance, the failed attempt's commit. */
function approvedCommit(state: RunState, { digest }: Approval): string | undefined {
  const ran = [lastFailure(state), ...state.attempts].find((past) => past?.order.order.digest === digest);
  return digest === state.gate?.digest ? state.gate.commit : ran?.order.order.commit;
}

function findApprovalComment(approval: Approval, facts: RunFacts): Observed<CommentFacts | null> {
  const shown = findInComments(facts.comments, approval);
  if (shown.kind === 'unknown' || shown.value !== null) return shown;
  return facts.cited.get(approvalCommentId(approval)) ?? unknown('an approving comment was not asked for');
}

/** Facts to read: permissions of approvers, and approving comments that are missing from the threads. */
function listUnreadFacts(
  state: RunState,
  { comments, permissions, cited }: Pick<RunFacts, 'comments' | 'permissions' | 'cited'>,
): readonly Need[] {
  if (comments.kind === 'unknown') return [];
  const resting = listApprovalsToCheck(state);
  const people = new Map(resting.map(({ actor }) => [actor.id, actor]));
  return [
    ...[...people.values()]
      .filter(({ id }) => !permissions.has(id))
      .map((actor) => ({ fact: 'permissions' as const, of: actor })),
    ...resting
      .filter((approval) => {
        const shown = findInComments(comments, approval);
        return shown.kind === 'known' && shown.value === null && !cited.has(approvalCommentId(approval));
      })
      .map(({ surface, comment }) => ({ fact: 'cited' as const, of: { surface, comment } })),
  ];
}

function approvalCommentId({ surface, comment }: Approval): string {
  return commentId({ surface, id: comment });
}

function findInComments(comments: RunFacts['comments'], approval: Approval): Observed<CommentFacts | null> {
  if (comments.kind === 'unknown') return comments;
  const isApprovalComment = ({ surface, id }: CommentFacts): boolean =>
    surface === approval.surface && id === approval.comment;
  return known(comments.value.find(isApprovalComment) ?? null);
}

/** Drops invalid approvals, one reason at a time, before an order uses them. While a fact is unreadable, it neither drops nor orders. */
export function decideApprovals(state: RunState, facts: RunFacts, config: LaneScopedConfig, now: Instant): Step | null {
  const unread = listUnreadFacts(state, facts);
  if (unread.length > 0) return request(...unread);
  const resting = listApprovalsToCheck(state);
  // After the launch, a dropped approval changes nothing unless restarts need new approvals.
  if (!(isBeforeLaunch(state) || restartsLeft(state) <= 0) || resting.length === 0) return null;
  const { journalHolds } = facts;
  if (journalHolds.kind === 'known' && filterHolds(journalHolds.value, state.proposal).length > 0) {
    const drop = dropByBrake(state);
    if (drop !== null) return append(drop);
  }
  const ids = new Set(resting.map((approval) => approval.actor.id));
  const digests = new Set(resting.map((approval) => approval.digest));
  const fallen = gatherApprovalFacts(state, facts, config, now)
    .approvals.filter(({ actor, digest }) => ids.has(actor.id) && digests.has(digest))
    .flatMap(({ actor, digest, status }) => {
      if (status.kind === 'unknown' || status.value === 'counts') return [];
      return [{ user: actor.id, digest, reason: status.value }];
    });
  const [first] = fallen;
  if (first === undefined) return null;
  const users = fallen.filter(({ reason }) => reason === first.reason).map(({ user }) => user);
  const data = { reason: first.reason, digest: first.digest, users };
  return append({ type: 'approval-dropped', role: 'control', data });
}

/** The approving comment to check. Only cards posted before it could mislead the approver. */
type ApprovalQuestion = {
  readonly state: Pick<RunState, 'shown' | 'cardEdit'>;
  readonly digest: Digest;
  readonly approval: Pick<CommentFacts, 'surface' | 'id' | 'createdAt'>;
};

/**
 * The oldest visible comment that looks like a card, by a bot or a person with write permission. Comments of other people never count,
 * because otherwise anyone could block a launch.
 */
export function findSecondCard(
  asked: ApprovalQuestion,
  comments: readonly CommentFacts[],
  permissions: RunFacts['permissions'],
): Observed<CommentFacts | null> | FactRequest {
  const likeCards = comments
    .filter((comment) => isForeignCard(asked, comment) && offersDigest(comment, asked.digest))
    .toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id);
  const people = likeCards.filter(({ authorIsBot }) => !authorIsBot).map(({ author }) => author);
  const unread = [...new Map(people.map((person) => [person.id, person])).values()].filter(
    ({ id }) => !permissions.has(id),
  );
  if (unread.length > 0) return request(...unread.map((of) => ({ fact: 'permissions' as const, of })));
  for (const comment of likeCards) {
    const held = comment.authorIsBot ? known('write' as const) : permissions.get(comment.author.id);
    if (held?.kind === 'known' && permits(held.value, 'write')) return known(comment);
    if (held?.kind === 'unknown') return unknown(`the permission of ${comment.author.login}: ${held.why}`);
  }
  return known(null);
}

/**
 * Seal and record do not show it as ferrybot's: any workflow can post as github-actions[bot]. A deleted account (id 0) has no permissions.
 */
function isForeignCard({ state, approval }: ApprovalQuestion, comment: CommentFacts): boolean {
  const { surface, id, marker, minimized, createdAt, author } = comment;
  const isCard = surface === 'comment' && (id === state.shown?.comment || id === state.cardEdit?.comment);
  const isApproval = surface === approval.surface && id === approval.id;
  if (minimized || isCard || isApproval || marker?.isIntact === true) return false;
  return createdAt <= approval.createdAt && author.id !== 0;
}

function offersDigest(comment: CommentFacts, digest: Digest): boolean {
  return readOfferedDigests(comment).some((offered) => compareDigest(offered, digest) === 'named');
}
