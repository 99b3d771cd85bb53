/** When control may order a launch. */

import { checkFixOrder, isFixEvaluated, isLaunchable, lastFailure } from '../launch/next-attempt.ts';
import { buildSubmissionId, type Order, type OrderApproval, type ParentAttempt } from '../launch/order.ts';
import { checkRelaunchOrder, envelopeApprovals } from '../launch/response.ts';
import { preApprovedDigest } from '../launch/small-fix.ts';
import { allPass } from '../launch/verdict.ts';
import type { EventOf } from './define.ts';
import { type Approval, listCurrentApprovals, nextAttemptNumber, type RunState } from './run-state.ts';

/** The rule that an order breaks, or null. */
export function checkOrdered(state: RunState, event: EventOf<'ordered'>): string | null {
  const { order } = event.data;
  const again = checkRepeatedOrder(state, order);
  if (again !== null) return again;
  if (state.order?.status === 'claimed') return 'ordered while another order is claimed';
  if (state.stop !== null) return 'ordered after a stop was asked for';
  if (state.gate === null || state.gate.digest !== order.digest) return 'ordered another manifest than the one shown';
  if (!allPass(state.gate.verdicts)) return 'ordered though a gate does not pass';
  const broken = checkFirstOrder(state, order);
  if (broken !== null) return broken;
  if (order.preApprovedBy !== undefined && order.preApprovedBy !== preApprovedDigest(state))
    return 'ordered a fix that no manifest has approved beforehand';
  const standing = order.preApprovedBy === undefined ? listCurrentApprovals(state) : envelopeApprovals(state);
  if (order.approvals.length === 0) return 'ordered without an approval';
  return order.approvals.every((cited) => standing.some((given) => isSameApproval(cited, given)))
    ? null
    : 'ordered on an approval that does not stand';
}

/** After a first attempt: a relaunch of the same manifest, or an approved fix. */
function checkRepeatedOrder(state: RunState, order: Order): string | null {
  if (state.submission !== null)
    return isFixEvaluated(state) ? checkFixOrder(state, order) : checkRelaunchOrder(state, order);
  return isLaunchable(state, order.digest) ? null : 'ordered a manifest again that was launched before';
}

/** The order must match its run, so that another run's order or a foreign submission id is illegal. */
function checkFirstOrder(state: RunState, order: Order): string | null {
  if (order.run !== state.run) return 'ordered for another run';
  if (order.repository !== state.proposal.repository) return 'ordered for another repository';
  if (order.pull !== state.proposal.pull) return 'ordered for another pull request';
  if (order.commit !== state.gate?.commit) return 'ordered another commit than the one shown';
  if (order.attempt !== nextAttemptNumber(state.order)) return 'ordered another attempt than the next one';
  if (order.parent !== undefined && !isLastAttempt(state, order.parent))
    return 'ordered as going on from another attempt than the last one';
  return order.submissionId === buildSubmissionId(state.run, order.attempt)
    ? null
    : 'ordered under an id that is not that of its attempt';
}

function isLastAttempt(state: RunState, parent: ParentAttempt): boolean {
  return parent.run === state.run && parent.attempt === lastFailure(state)?.submission.attempt;
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
