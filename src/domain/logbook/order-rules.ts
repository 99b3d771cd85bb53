/** When control may order a launch. */

import { failedAttempt, fixRule, isFixGated, isLaunchable } from '../launch/next-attempt.ts';
import { type Order, type OrderApproval, type ParentAttempt, submissionIdOf } from '../launch/order.ts';
import { approvalsBeforehand, relaunchRule } from '../launch/response.ts';
import { approvedBeforehand } from '../launch/small-fix.ts';
import { allPass } from '../launch/verdict.ts';
import type { EventOf } from './define.ts';
import { type Approval, nextAttempt, type RunState, standingApprovals } from './run-state.ts';

/** The rule that an order breaks, or null. */
export function orderedRule(state: RunState, event: EventOf<'ordered'>): string | null {
  const { order } = event.data;
  const again = againRule(state, order);
  if (again !== null) return again;
  if (state.order?.status === 'claimed') return 'ordered while another order is claimed';
  if (state.stop !== null) return 'ordered after a stop was asked for';
  if (state.gate === null || state.gate.digest !== order.digest) return 'ordered another manifest than the one shown';
  if (!allPass(state.gate.verdicts)) return 'ordered though a gate does not pass';
  const broken = orderRule(state, order);
  if (broken !== null) return broken;
  if (order.preApprovedBy !== undefined && order.preApprovedBy !== approvedBeforehand(state))
    return 'ordered a fix that no manifest has approved beforehand';
  const standing = order.preApprovedBy === undefined ? standingApprovals(state) : approvalsBeforehand(state);
  if (order.approvals.length === 0) return 'ordered without an approval';
  return order.approvals.every((cited) => standing.some((given) => isSameApproval(cited, given)))
    ? null
    : 'ordered on an approval that does not stand';
}

/** After a first attempt: a relaunch of the same manifest, or an approved fix. */
function againRule(state: RunState, order: Order): string | null {
  if (state.submission !== null) return isFixGated(state) ? fixRule(state, order) : relaunchRule(state, order);
  return isLaunchable(state, order.digest) ? null : 'ordered a manifest again that was launched before';
}

/** The order must match its run, so that another run's order or a foreign submission id is illegal. */
function orderRule(state: RunState, order: Order): string | null {
  if (order.run !== state.run) return 'ordered for another run';
  if (order.repository !== state.proposal.repository) return 'ordered for another repository';
  if (order.pull !== state.proposal.pull) return 'ordered for another pull request';
  if (order.commit !== state.gate?.commit) return 'ordered another commit than the one shown';
  if (order.attempt !== nextAttempt(state.order)) return 'ordered another attempt than the next one';
  if (order.parent !== undefined && !isLastAttempt(state, order.parent))
    return 'ordered as going on from another attempt than the last one';
  return order.submissionId === submissionIdOf(state.run, order.attempt)
    ? null
    : 'ordered under an id that is not that of its attempt';
}

function isLastAttempt(state: RunState, parent: ParentAttempt): boolean {
  return parent.run === state.run && parent.attempt === failedAttempt(state)?.submission.attempt;
}

/** GitHub numbers comments and reviews separately, so the surface must match too. */
function isSameApproval(cited: OrderApproval, given: Approval): boolean {
  return (
    cited.comment === given.comment &&
    cited.surface === given.surface &&
    cited.user === given.actor.id &&
    cited.bodyDigest === given.bodyDigest
  );
}
