/**
 * The approvals of an order as the runner reads them again, one by one, by the ids that the order names (architecture, D5):
 * still there on this run's own thread, unedited, not hidden, by that very person, who may approve today and whose own
 * change it is not, naming the digest that the runner computes, on this commit, after it was shown, and young enough. Fewer distinct people than the lab asks for is no approval.
 */

import { APPROVING } from '../commands/approving.ts';
import { maxAgeMsOf, mayApprove, quorumOf } from '../config/approvers.ts';
import { namingOf } from '../domain/approval-binding.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { isTooOld } from '../domain/launch/approval-age.ts';
import { approvedIn, type Order } from '../domain/launch/order.ts';
import { type RunState, shownAtOf } from '../domain/logbook/run-state.ts';
import { known } from '../domain/observed.ts';
import { interestedIn } from '../run/authors.ts';
import type { LaneScopedConfig } from '../run/lane-scope.ts';
import { type ApprovalFault, type ApprovalReading, approvalsFault } from './verify-approval.ts';
import { approvingAttempt } from './verify-pre-approval.ts';

export type ApprovalFacts = ApprovalReading & {
  readonly now: Instant;
  readonly config: LaneScopedConfig;
  /** Whose the proposal is, by the runner's own reading. */
  readonly shown: Pick<RunFacts, 'pull' | 'issue' | 'branchWork'>;
};

/** The first thing that is wrong with an order's approvals, or null. */
export function approvalFault(state: RunState, order: Order, facts: ApprovalFacts): ApprovalFault | null {
  const { pull, issue } = state.proposal;
  const { config, now } = facts;
  const digest = approvedIn(order);
  const isBeforehand = digest !== order.digest;
  const commit = isBeforehand ? approvingAttempt(state, order)?.order.order.commit : order.commit;
  const own = interestedIn(state.proposal, facts.shown).map(({ id }) => id);
  return approvalsFault(order.approvals, facts, {
    threads: [pull, issue],
    otherBots: config.otherBots,
    gives: ({ name, args }) => APPROVING.includes(name) && namingOf(args['digest'], digest) === 'named',
    quorum: quorumOf(config),
    commit: commit ?? '',
    // Control's word alone: a digest that the comment names was there before the comment.
    shownSince: isBeforehand ? [] : [known(shownAtOf(state, digest))],
    shownForMs: config.approvals.shownForMs,
    isTooOld: (createdAt) => isTooOld(state, { digest, createdAt }, now, maxAgeMsOf(config)),
    mayApprove: ({ id }, held) =>
      mayApprove(held, id, config.approvals) && (config.approvals.onePersonIsEnough || !own.includes(id)),
  });
}
