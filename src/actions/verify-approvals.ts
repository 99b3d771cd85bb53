/**
 * The approvals of an order as the runner reads them again, one by one, by the ids that the order names (architecture, D5):
 * still there on this run's own thread, unedited, not hidden, by that very person, who may approve today and whose own
 * change it is not, naming the digest that the runner computes, on this commit, after it was shown, and young enough. Fewer distinct people than the lab asks for is no approval.
 */

import { APPROVING } from '../commands/approving.ts';
import { maxAgeMsOf } from '../config/approval-age.ts';
import { mayApprove } from '../config/may-approve.ts';
import { quorumOf } from '../config/quorum.ts';
import type { Permission } from '../domain/actor.ts';
import { namingOf, wasShownBefore } from '../domain/approval-binding.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { isTooOld } from '../domain/launch/approval-age.ts';
import { approvedIn, citationKey, type Order, type OrderApproval } from '../domain/launch/order.ts';
import type { RefusalCode } from '../domain/launch/refusal.ts';
import { type RunState, shownAtOf } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { toRfc3339 } from '../domain/time.ts';
import { interestedIn } from '../run/authors.ts';
import type { LaneScopedConfig } from '../run/lane-scope.ts';
import { citedComment } from './cited-comment.ts';
import { approvingAttempt } from './verify-pre-approval.ts';

/** One approving comment or review, fetched by its id; null = GitHub has none of that id. */
export type Cited = Observed<CommentFacts | null>;

export type ApprovalFacts = {
  readonly now: Instant;
  readonly config: LaneScopedConfig;
  readonly cited: ReadonlyMap<string, Cited>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
  /** Whose the proposal is, by the runner's own reading. */
  readonly shown: Pick<RunFacts, 'pull' | 'issue' | 'branchWork'>;
};

export type ApprovalFault = { readonly code: RefusalCode; readonly why: string };

/** The first thing that is wrong with an order's approvals, or null. */
export function approvalFault(state: RunState, order: Order, facts: ApprovalFacts): ApprovalFault | null {
  for (const approval of order.approvals) {
    const fault = commentFault(state, order, approval, facts) ?? personFault(state, approval, facts);
    if (fault !== null) return fault;
  }
  const people = new Set(order.approvals.map((approval) => approval.user));
  const quorum = quorumOf(facts.config);
  return people.size < quorum ? { code: 'too-few-approvals', why: `${people.size} of ${quorum}` } : null;
}

function commentFault(
  state: RunState,
  order: Order,
  approval: OrderApproval,
  facts: ApprovalFacts,
): ApprovalFault | null {
  const { pull, issue } = state.proposal;
  const comment = citedComment(
    facts.cited.get(citationKey(approval)),
    { ...approval, threads: [pull, issue] },
    facts.config.otherBots,
    ({ name, args }) => APPROVING.includes(name) && namingOf(args['digest'], approvedIn(order)) === 'named',
  );
  return comment.ok ? bindingFault(state, order, comment.value, facts) : comment.error;
}

/**
 * Written on this commit, where it is a review; while this was on show; and not too long ago, by GitHub's time of the
 * comment. Since when it was shown is control's word alone: a digest that the comment names was there before the comment.
 */
function bindingFault(
  state: RunState,
  order: Order,
  comment: CommentFacts,
  { config, now }: ApprovalFacts,
): ApprovalFault | null {
  const where = `${comment.surface} ${comment.id}`;
  const digest = approvedIn(order);
  const isBeforehand = digest !== order.digest;
  const commit = isBeforehand ? approvingAttempt(state, order)?.order.order.commit : order.commit;
  if (comment.surface === 'review' && comment.commit !== commit)
    return { code: 'approval-other-commit', why: `${where} was written on ${comment.commit ?? 'nothing'}` };
  const shownAt = shownAtOf(state, digest);
  const wasShown =
    shownAt !== null && wasShownBefore(shownAt, comment.createdAt, config.approvals.shownForMs);
  if (!isBeforehand && !wasShown) return { code: 'approval-before-shown', why: where };
  return isTooOld(state, { digest, createdAt: comment.createdAt }, now, maxAgeMsOf(config))
    ? { code: 'approval-too-old', why: `${where} of ${toRfc3339(comment.createdAt)}` }
    : null;
}

function personFault(state: RunState, approval: OrderApproval, facts: ApprovalFacts): ApprovalFault | null {
  const { approvals } = facts.config;
  const permission = facts.permissions.get(approval.user);
  if (permission === undefined || permission.kind === 'unknown')
    return { code: 'unreadable', why: permission?.why ?? 'the permission was not asked for' };
  if (!mayApprove(permission.value, approval.user, approvals))
    return { code: 'approver-lost-permission', why: `user ${approval.user}` };
  const own = interestedIn(state.proposal, facts.shown).find((person) => person.id === approval.user);
  return own === undefined || approvals.onePersonIsEnough
    ? null
    : { code: 'approval-by-author', why: own.login };
}
