/** Approvals as gate facts. */

import { maxAgeMsOf, mayApprove, quorumOf } from '../config/approvers.ts';
import { commentName } from '../domain/answer-key.ts';
import type { CommentFacts, RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { isTooOld } from '../domain/launch/approval-age.ts';
import { failedAttempt, isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { approvalsBeforehand, restingOn, wantsRelaunch } from '../domain/launch/response.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import { type Approval, type RunState, standingApprovals } from '../domain/logbook/run-state.ts';
import type { Need } from '../domain/need.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import type { ApprovalFacts, ApprovalStanding } from '../gates/approvals.ts';
import { approvalVerdicts } from '../gates/run-gates.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

/** Every approval that was not dropped, checked against its current comment and the person's current permission. */
export function approvalFacts(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
): ApprovalFacts {
  return factsWith(state, config, (approval) => standingOf(state, approval, facts, config, now));
}

/** The approval gates from the record alone, for the card. */
export function recordedApprovalVerdicts(state: RunState, config: LaneScopedConfig): readonly Verdict[] {
  const digest = state.gate?.digest ?? null;
  const body = state.gate?.body ?? null;
  return approvalVerdicts({
    approvals: known(factsWith(state, config, () => known('counts'))),
    bound: digest === null || body === null ? unknown('there is no manifest') : known({ digest, body }),
  });
}

/** Approvals that control rechecks until it orders a launch; then the runner does. */
export function approvalsToLookAt(state: RunState): readonly Approval[] {
  const isOrdered = state.order?.status === 'open' || state.order?.status === 'claimed';
  const isAwaited = isBeforeLaunch(state) || wantsRelaunch(state);
  return isAwaited && !isOrdered ? restingOn(state) : [];
}

function factsWith(
  state: RunState,
  config: LaneScopedConfig,
  standing: (approval: Approval) => Observed<ApprovalStanding>,
): ApprovalFacts {
  const drop = state.drops.at(-1);
  const resting = restingOn(state);
  const isOfBefore = new Set(standingApprovals(state).filter((one) => !resting.includes(one)));
  const beforehand = approvalsBeforehand(state)[0]?.digest;
  return {
    needed: quorumOf(config),
    ...(beforehand === undefined ? {} : { beforehand }),
    given: state.approvals
      .filter((approval) => !isOfBefore.has(approval))
      .map((approval) => ({
        actor: approval.actor,
        digest: approval.digest,
        body: approval.body,
        at: approval.at,
        standing: standing(approval),
      })),
    lastDrop: drop === undefined ? null : { reason: drop.data.reason, digest: drop.data.digest },
  };
}

/** A comment missing from the threads counts as gone only if GitHub has none with its id. */
function standingOf(
  state: RunState,
  approval: Approval,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
): Observed<ApprovalStanding> {
  const read = commentOf(approval, facts);
  if (read.kind === 'unknown') return read;
  const comment = read.value;
  const isAsGiven =
    comment !== null &&
    comment.editedAt === null &&
    comment.bodyDigest === approval.bodyDigest &&
    !comment.minimized &&
    (comment.surface !== 'review' || comment.commit === commitOf(state, approval));
  if (!isAsGiven) return known('approval-invalid');
  const { createdAt } = comment;
  if (isTooOld(state, { digest: approval.digest, createdAt }, now, maxAgeMsOf(config)))
    return known('approval-outdated');
  const permission = facts.permissions.get(approval.actor.id);
  if (permission === undefined) return unknown('the permission of an approver was not asked for');
  if (permission.kind === 'unknown') return permission;
  return known(
    mayApprove(permission.value, approval.actor.id, config.approvals) ? 'counts' : 'approver-not-permitted',
  );
}

/** The commit that was approved; for a pre-approved fix, the failed one. */
function commitOf(state: RunState, { digest }: Approval): string | undefined {
  const ran = [failedAttempt(state), ...state.attempts].find((past) => past?.order.order.digest === digest);
  return digest === state.gate?.digest ? state.gate.commit : ran?.order.order.commit;
}

function commentOf(approval: Approval, facts: RunFacts): Observed<CommentFacts | null> {
  const shown = shownIn(facts.comments, approval);
  if (shown.kind === 'unknown' || shown.value !== null) return shown;
  return facts.cited.get(nameOf(approval)) ?? unknown('an approving comment was not asked for');
}

/** Missing facts: permissions of approvers, and approving comments that the threads lack. */
export function unreadOfApprovals(
  state: RunState,
  { comments, permissions, cited }: Pick<RunFacts, 'comments' | 'permissions' | 'cited'>,
): readonly Need[] {
  if (comments.kind === 'unknown') return [];
  const resting = approvalsToLookAt(state);
  const people = new Map(resting.map(({ actor }) => [actor.id, actor]));
  return [
    ...[...people.values()]
      .filter(({ id }) => !permissions.has(id))
      .map((actor) => ({ fact: 'permissions' as const, of: actor })),
    ...resting
      .filter((approval) => {
        const shown = shownIn(comments, approval);
        return shown.kind === 'known' && shown.value === null && !cited.has(nameOf(approval));
      })
      .map(({ surface, comment }) => ({ fact: 'cited' as const, of: { surface, comment } })),
  ];
}

function nameOf({ surface, comment }: Approval): string {
  return commentName({ surface, id: comment });
}

function shownIn(comments: RunFacts['comments'], approval: Approval): Observed<CommentFacts | null> {
  if (comments.kind === 'unknown') return comments;
  const isIt = ({ surface, id }: CommentFacts): boolean =>
    surface === approval.surface && id === approval.comment;
  return known(comments.value.find(isIt) ?? null);
}
