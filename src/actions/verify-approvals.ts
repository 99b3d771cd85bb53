/**
 * The approvals of an order as the runner reads them again, one by one, by the ids that the order names (architecture, D5):
 * still there on this run's own thread, unedited, not hidden, by that very person, who may approve today and whose own
 * change it is not, naming the digest that the runner computes, on this commit, after it was shown, and young enough. Fewer distinct people than the lab asks for is no approval.
 */

import { APPROVING } from '../commands/approving.ts';
import { maxAgeMsOf, mayApprove, quorumOf } from '../config/approvers.ts';
import type { Permission } from '../domain/actor.ts';
import { namingOf } from '../domain/approval-binding.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { isTooOld } from '../domain/launch/approval-age.ts';
import { approvedIn, citationKey, type Order, type OrderApproval } from '../domain/launch/order.ts';
import { type RunState, shownAtOf } from '../domain/logbook/run-state.ts';
import { known, type Observed } from '../domain/observed.ts';
import { interestedIn } from '../run/authors.ts';
import type { LaneScopedConfig } from '../run/lane-scope.ts';
import { type ApprovalFault, citedApprovalFault, citedComment } from './verify-approval.ts';
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

/** The first thing that is wrong with an order's approvals, or null. */
export function approvalFault(state: RunState, order: Order, facts: ApprovalFacts): ApprovalFault | null {
  for (const approval of order.approvals) {
    const fault = commentFault(state, order, approval, facts);
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
  const { config, now } = facts;
  const digest = approvedIn(order);
  const cited = citedComment(
    facts.cited.get(citationKey(approval)),
    { ...approval, threads: [pull, issue] },
    config.otherBots,
    ({ name, args }) => APPROVING.includes(name) && namingOf(args['digest'], digest) === 'named',
  );
  if (!cited.ok) return cited.error;
  const comment = cited.value;
  const isBeforehand = digest !== order.digest;
  const commit = isBeforehand ? approvingAttempt(state, order)?.order.order.commit : order.commit;
  if (comment.surface === 'review' && comment.commit !== commit)
    return {
      code: 'approval-other-commit',
      why: `review ${comment.id} was written on ${comment.commit ?? 'nothing'}`,
    };
  const own = interestedIn(state.proposal, facts.shown).map(({ id }) => id);
  return citedApprovalFault(comment, {
    // Control's word alone: a digest that the comment names was there before the comment.
    shownSince: isBeforehand ? [] : [known(shownAtOf(state, digest))],
    shownForMs: config.approvals.shownForMs,
    isTooOld: (createdAt) => isTooOld(state, { digest, createdAt }, now, maxAgeMsOf(config)),
    permission: facts.permissions.get(approval.user),
    personFault: ({ id }, held) => {
      if (!mayApprove(held, id, config.approvals)) return 'not-permitted';
      return own.includes(id) && !config.approvals.onePersonIsEnough ? 'own' : null;
    },
  });
}
