/**
 * What the runner checks before it claims an order (decision D5): it trusts nothing about it. The order must be in the
 * verified logbook, open, for this repository, in time; the approving comments must be there as they were approved, by
 * people who still may; the head must not have moved; and the manifest from its own checkout must give the digest.
 */

import type { LabConfig } from '../config/schema.ts';
import { type Permission, permits } from '../domain/actor.ts';
import type { CommentFacts, PullFacts } from '../domain/facts.ts';
import { type Hold, holdsOn } from '../domain/hold.ts';
import type { Digest, Instant } from '../domain/ids.ts';
import type { Observed } from '../domain/observed.ts';
import type { RefusalCode } from '../domain/refusal.ts';
import type { IssuedOrder, RunState } from '../domain/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';

export type OrderFacts = {
  readonly repository: string;
  readonly now: Instant;
  readonly config: LabConfig;
  /** Freezes and skipped days, as the journal has them at this moment. */
  readonly laneHolds: Observed<readonly Hold[]>;
  readonly pull: Observed<PullFacts>;
  readonly comments: Observed<readonly CommentFacts[]>;
  readonly permissions: ReadonlyMap<number, Observed<Permission>>;
  /** The digest of the manifest that the runner computed itself. */
  readonly digest: Observed<Digest>;
};

/**
 * `standing`: a refusal that leaves the order as it is (a replay, a wrong place, something unreadable);
 * `ending`: what was approved is not what is there, so the order ends and a person approves anew.
 */
export type OrderJudgement =
  | { readonly kind: 'claim'; readonly order: IssuedOrder }
  /** Claimed before and not known to be submitted; `ground` says whether it may still be started if it was not. */
  | { readonly kind: 'resume'; readonly order: IssuedOrder; readonly ground: OrderJudgement }
  | {
      readonly kind: 'refuse';
      readonly code: RefusalCode;
      readonly effect: 'standing' | 'ending';
      readonly why: string;
    };

/** Finds the order by its digest in the run's record and judges whether it may be carried out now. */
export function judgeOrder(state: RunState | null, orderDigest: string, facts: OrderFacts): OrderJudgement {
  const order = state?.order ?? null;
  if (state === null || order === null || order.digest !== orderDigest)
    return refuse('order-unknown', 'standing', 'the logbook has no such order');
  if (order.order.repository !== facts.repository)
    return refuse('other-repository', 'standing', order.order.repository);
  if (state.submission !== null || order.status === 'submitted' || order.status === 'failed')
    return refuse('order-used', 'standing', 'the order was carried out or refused before');
  if (order.status === 'claimed') return { kind: 'resume', order, ground: judgeGround(state, order, facts) };
  if (order.status === 'void') return refuse('order-void', 'standing', 'what the order rested on fell');
  if (facts.now >= (fromRfc3339(order.order.expiresAt) ?? 0))
    return refuse('order-expired', 'standing', order.order.expiresAt);
  return judgeGround(state, order, facts);
}

function judgeGround(state: RunState, order: IssuedOrder, facts: OrderFacts): OrderJudgement {
  if (state.stop !== null) return refuse('stop-requested', 'ending', `by ${state.stop.actor.login}`);
  if (facts.laneHolds.kind === 'unknown') return refuse('unreadable', 'standing', facts.laneHolds.why);
  const hold = [...state.holds, ...holdsOn(facts.laneHolds.value, state.proposal.date)][0];
  if (hold !== undefined) return refuse('held', 'ending', `${hold.kind}: ${hold.reason}`);
  if (facts.pull.kind === 'unknown') return refuse('unreadable', 'standing', facts.pull.why);
  if (facts.comments.kind === 'unknown') return refuse('unreadable', 'standing', facts.comments.why);
  if (facts.pull.value.headRepository !== facts.repository)
    return refuse('fork', 'ending', facts.pull.value.headRepository ?? 'a deleted fork');
  if (facts.pull.value.headSha !== order.order.commit)
    return refuse('head-moved', 'ending', facts.pull.value.headSha);
  const approval = judgeApprovals(order, facts.comments.value, facts);
  if (approval !== null) return approval;
  if (facts.digest.kind === 'unknown') return refuse('unreadable', 'standing', facts.digest.why);
  if (facts.digest.value !== order.order.digest)
    return refuse('manifest-changed', 'ending', facts.digest.value);
  return { kind: 'claim', order };
}

function judgeApprovals(
  order: IssuedOrder,
  comments: readonly CommentFacts[],
  facts: OrderFacts,
): OrderJudgement | null {
  const people = new Set(order.order.approvals.map((approval) => approval.user));
  if (people.size < facts.config.approvals.quorum)
    return refuse('too-few-approvals', 'ending', `${people.size} of ${facts.config.approvals.quorum}`);
  for (const approval of order.order.approvals) {
    const comment = comments.find((c) => c.surface === approval.surface && c.id === approval.comment);
    if (comment === undefined) return refuse('approval-gone', 'ending', `comment ${approval.comment}`);
    if (comment.author.id !== approval.user || comment.authorIsBot)
      return refuse('approval-by-another', 'ending', comment.author.login);
    if (comment.editedAt !== null || comment.bodyDigest !== approval.bodyDigest)
      return refuse('approval-edited', 'ending', `comment ${approval.comment}`);
    if (comment.minimized) return refuse('approval-hidden', 'ending', `comment ${approval.comment}`);
    const permission = facts.permissions.get(approval.user);
    if (permission === undefined || permission.kind === 'unknown')
      return refuse('unreadable', 'standing', permission?.why ?? 'permission not asked');
    if (!mayApprove(permission.value, approval.user, facts.config))
      return refuse('approver-lost-permission', 'ending', comment.author.login);
  }
  return null;
}

function mayApprove(permission: Permission, user: number, config: LabConfig): boolean {
  const { approvals } = config;
  return (
    permits(permission, approvals.permission) ||
    (permits(permission, 'write') && approvals.users.includes(user))
  );
}

function refuse(code: RefusalCode, effect: 'standing' | 'ending', why: string): OrderJudgement {
  return { kind: 'refuse', code, effect, why };
}
