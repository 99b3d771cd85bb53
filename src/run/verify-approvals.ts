/**
 * The approvals of an order as the runner reads them again, one by one, by the ids that the order names (decision D5):
 * still there, unedited, not hidden, by that very person, who may approve today and whose own change it is not, and
 * saying what the record has them say. Fewer distinct people than the lab asks for is no approval.
 */

import { readComment } from '../commands/grammar/read-comment.ts';
import { COMMAND_DEFINITIONS } from '../commands/registry.ts';
import { mayApprove } from '../config/may-approve.ts';
import { quorumOf } from '../config/quorum.ts';
import type { LabConfig } from '../config/schema.ts';
import type { Permission } from '../domain/actor.ts';
import type { CommentFacts, PullFacts } from '../domain/facts.ts';
import type { Digest } from '../domain/ids.ts';
import type { Order, OrderApproval } from '../domain/launch/order.ts';
import type { RefusalCode } from '../domain/launch/refusal.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { interestedIn } from './decide-commands.ts';

/** One approving comment or review, fetched by its id; null = GitHub has none of that id. */
export type Cited = Observed<CommentFacts | null>;

export type ApprovalFacts = {
  readonly config: LabConfig;
  readonly cited: ReadonlyMap<string, Cited>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
};

export type ApprovalFault = { readonly code: RefusalCode; readonly why: string };

/** Names an approval in `ApprovalFacts.cited`: GitHub numbers comments and reviews separately. */
export function citationKey(approval: Pick<OrderApproval, 'surface' | 'comment'>): string {
  return `${approval.surface}:${approval.comment}`;
}

/** The first thing that is wrong with an order's approvals, or null. `pull` is the pull request as it is now. */
export function approvalFault(
  state: RunState,
  order: Order,
  pull: PullFacts,
  facts: ApprovalFacts,
): ApprovalFault | null {
  for (const approval of order.approvals) {
    const fault = commentFault(state, order, approval, facts) ?? personFault(state, approval, pull, facts);
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
  const cited = facts.cited.get(citationKey(approval));
  if (cited === undefined || cited.kind === 'unknown')
    return { code: 'unreadable', why: cited?.why ?? `${citationKey(approval)} was not read` };
  const comment = cited.value;
  const where = `${approval.surface} ${approval.comment}`;
  if (comment === null) return { code: 'approval-gone', why: where };
  if (comment.thread !== state.proposal.pull && comment.thread !== state.proposal.issue)
    return { code: 'approval-gone', why: `${where} stands in #${comment.thread}` };
  if (comment.author.id !== approval.user || comment.authorIsBot)
    return { code: 'approval-by-another', why: comment.author.login };
  if (comment.editedAt !== null || comment.bodyDigest !== approval.bodyDigest)
    return { code: 'approval-edited', why: where };
  if (comment.minimized) return { code: 'approval-hidden', why: where };
  return approves(comment.body, order.digest, facts.config.otherBots)
    ? null
    : { code: 'approval-not-given', why: where };
}

/** Control's word that somebody approved is not enough: the text itself has to say it, of this digest where it names one. */
function approves(body: string, digest: Digest, otherBots: readonly string[]): boolean {
  const hex = digest.slice('sha256:'.length);
  return readComment(body, COMMAND_DEFINITIONS, { otherBots }).commands.some(
    ({ name, args }) =>
      name === 'approve-launch' &&
      hex.startsWith((args['digest'] ?? '').replace(/^sha256:/, '').toLowerCase()),
  );
}

function personFault(
  state: RunState,
  approval: OrderApproval,
  pull: PullFacts,
  facts: ApprovalFacts,
): ApprovalFault | null {
  const { approvals } = facts.config;
  const permission = facts.permissions.get(approval.user);
  if (permission === undefined || permission.kind === 'unknown')
    return { code: 'unreadable', why: permission?.why ?? 'the permission was not asked for' };
  if (!mayApprove(permission.value, approval.user, approvals))
    return { code: 'approver-lost-permission', why: `user ${approval.user}` };
  const own = interestedIn(state, pull).find((person) => person.id === approval.user);
  return own === undefined || approvals.onePersonIsEnough
    ? null
    : { code: 'approval-by-author', why: own.login };
}
