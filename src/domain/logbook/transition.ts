/** Which event may follow which state: an illegal one means that the logbook was not written by ferrybot's rules. */

import { assertNever } from '../assert.ts';
import { underWay } from '../care/mutation-state.ts';
import { sealRule } from '../launch/attestation.ts';
import {
  failedAttempt,
  fixRule,
  isBeforeLaunch,
  isFixGated,
  isFixPushed,
  isLaunchable,
  mayBeFixed,
} from '../launch/next-attempt.ts';
import { type Order, type OrderApproval, type ParentAttempt, submissionIdOf } from '../launch/order.ts';
import { approvedBeforehand } from '../launch/pre-approval.ts';
import {
  approvalsBeforehand,
  mayBeApprovedAgain,
  mayBeRelaunched,
  mayStartAgain,
  relaunchRule,
} from '../launch/response.ts';
import { allPass } from '../launch/verdict.ts';
import { awaitsAdoption } from './adoption.ts';
import { definitionOf, isDefined, WRITERS } from './definitions.ts';
import type { LogbookEvent } from './event.ts';
import { holdingsOf } from './holdings.ts';
import { isHolding } from './liveness.ts';
import {
  type Approval,
  commandKey,
  isOver,
  nextAttempt,
  type RunState,
  standingApprovals,
} from './run-state.ts';

/** Null where the event may follow; otherwise the rule it breaks, in words for a person who reads `logbook verify`. */
export function illegalAfter(state: RunState | null, event: LogbookEvent): string | null {
  if (!WRITERS[event.type].includes(event.role)) return `${event.role} may not write ${event.type}`;
  if (state === null)
    return event.type === 'proposed' ? null : `a run begins with proposed, not with ${event.type}`;
  if (isOver(state)) return `nothing follows ${state.seal === null ? 'closed' : 'sealed'}`;
  if (event.run !== state.run) return `an event of ${event.run} in the logbook of ${state.run}`;
  return brokenRule(state, event);
}

function brokenRule(state: RunState, event: LogbookEvent): string | null {
  if (isDefined(event)) {
    const { rule, isByPerson } = definitionOf(event);
    return rule(state, event) ?? (isByPerson ? personRule(event) : null);
  }
  switch (event.type) {
    case 'proposed':
      return 'a run is proposed once';
    case 'contracted':
      return state.order?.status === 'claimed' ? 'contracted while an order is claimed' : null;
    case 'gated':
      if (awaitsAdoption(state)) return 'gated before the job was taken over';
      return state.submission === null || isFixPushed(state, event.data.commit)
        ? null
        : 'gated after the job was submitted';
    case 'approval-dropped':
      return state.submission === null || mayBeFixed(state) || mayStartAgain(state)
        ? null
        : 'approval-dropped after the job was submitted';
    case 'shown':
      return shownRule(state, event);
    case 'approved':
      return approvedRule(state, event);
    case 'ordered':
      return orderedRule(state, event);
    case 'claimed':
      return claimedRule(state, event);
    case 'submitted':
      if (state.submission !== null) return 'submitted twice';
      return submittedRule(state.order, event.data);
    case 'observed':
    case 'ended':
      return watchRule(state, event);
    case 'stop-requested':
      return state.end === null || mayBeRelaunched(state) ? personRule(event) : 'a stop after the end';
    case 'sealed':
      return sealedRule(state, event);
    case 'closed':
      return closedRule(state, event);
    case 'held':
    case 'released':
      return personRule(event);
    case 'dispatched':
    case 'incident':
      return null;
    case 'command-seen':
      return state.commands.has(commandKey(event.data)) ? 'a command is seen once' : personRule(event);
    case 'command-answered':
      return answeredRule(state, event.data);
    default:
      return assertNever(event);
  }
}

function personRule(event: LogbookEvent): string | null {
  return event.actor === undefined ? `${event.type} names no person` : null;
}

function shownRule(state: RunState, { data }: Extract<LogbookEvent, { type: 'shown' }>): string | null {
  if (!isBeforeLaunch(state)) return 'shown after the job was submitted';
  if (state.shown !== null) return 'shown while it is on show';
  return state.gate?.digest === data.digest && state.gate.body === data.body
    ? null
    : 'shown another manifest than the gates know';
}

function approvedRule(state: RunState, event: Extract<LogbookEvent, { type: 'approved' }>): string | null {
  if (!isBeforeLaunch(state) && !mayBeApprovedAgain(state)) return 'approved after the job was submitted';
  if (state.gate === null || state.gate.digest !== event.data.digest)
    return 'approved a manifest that was not shown';
  return personRule(event);
}

function orderedRule(state: RunState, event: Extract<LogbookEvent, { type: 'ordered' }>): string | null {
  const { order } = event.data;
  const again = againRule(state, order);
  if (again !== null) return again;
  if (state.order?.status === 'claimed') return 'ordered while another order is claimed';
  if (state.stop !== null) return 'ordered after a stop was asked for';
  if (state.gate === null || state.gate.digest !== order.digest)
    return 'ordered another manifest than the one shown';
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

/** After a first attempt: the same manifest again after a bad node, or a fix that was approved for itself. */
function againRule(state: RunState, order: Order): string | null {
  if (state.submission !== null)
    return isFixGated(state) ? fixRule(state, order) : relaunchRule(state, order);
  return isLaunchable(state, order.digest) ? null : 'ordered a manifest again that was launched before';
}

/**
 * What an order says about itself has to fit the run that it stands in: bytes of another run's order, or an id that the
 * engine would take for another job, are nothing that control writes.
 */
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

/** GitHub numbers comments and reviews separately, so the number alone names no approval. */
function isSameApproval(cited: OrderApproval, given: Approval): boolean {
  return (
    cited.comment === given.comment &&
    cited.surface === given.surface &&
    cited.user === given.actor.id &&
    cited.bodyDigest === given.bodyDigest
  );
}

function claimedRule(state: RunState, event: Extract<LogbookEvent, { type: 'claimed' }>): string | null {
  if (state.order === null || state.order.digest !== event.data.orderDigest)
    return 'claimed an order that was not issued';
  if (state.order.status !== 'open') return `claimed an order that is ${state.order.status}`;
  if (event.data.attempt !== state.order.order.attempt) return 'claimed another attempt than the ordered one';
  return event.at < state.order.order.expiresAt ? null : 'claimed an expired order';
}

function submittedRule(
  issued: RunState['order'],
  data: Extract<LogbookEvent, { type: 'submitted' }>['data'],
): string | null {
  if (issued?.status !== 'claimed' || issued.digest !== data.orderDigest)
    return 'submitted without a claimed order';
  if (data.attempt !== issued.order.attempt) return 'submitted another attempt than the ordered one';
  return data.commit === issued.order.commit ? null : 'submitted another commit than the ordered one';
}

function watchRule(
  state: RunState,
  event: Extract<LogbookEvent, { type: 'observed' | 'ended' }>,
): string | null {
  if (state.submission === null) return `${event.type} before the job was submitted`;
  if (state.end !== null) return `${event.type} after the end`;
  if (event.data.attempt !== state.submission.attempt) return `${event.type} another attempt`;
  const fence = event.type === 'observed' ? event.data.lease.fence : event.data.fence;
  if (fence < state.fence) return 'written under a lease that was taken over';
  const holder = state.observation?.lease;
  const sameFence = event.type === 'observed' && holder !== undefined && holder.fence === fence;
  return sameFence && event.data.lease.holder !== holder.holder ? 'two holders of one lease' : null;
}

function sealedRule(state: RunState, event: Extract<LogbookEvent, { type: 'sealed' }>): string | null {
  if (state.end === null) return 'sealed before the end';
  if (underWay(state.mutations).length > 0) return 'sealed while the cluster is being changed';
  if (isHolding(state)) return 'sealed while the run holds something';
  if (state.end.status === 'FAILED') return 'a failed run gets no seal';
  if (event.data.verdict === 'accepted' && event.data.accept === null) return 'accepted without saying why';
  return sealRule(state, event.data) ?? personRule(event);
}

/** A claimed order may have started a job already: the run stays open until the runner says what became of it. */
function closedRule(state: RunState, event: Extract<LogbookEvent, { type: 'closed' }>): string | null {
  if (underWay(state.mutations).length > 0) return 'closed while the cluster is being changed';
  if (event.data.outcome === 'lost') return lostRule(state, event);
  const [held] = holdingsOf(state);
  if (held === undefined) return null;
  if (held.kind === 'machine') return 'closed while a rented machine is there, or may be';
  return held.kind === 'launch' ? 'closed while the runner submits' : `closed while the ${held.kind} runs`;
}

/** A person gives up a job of which nobody can say what it does; one that is seen running is not lost. */
function lostRule(state: RunState, event: LogbookEvent): string | null {
  if (state.end !== null) return 'lost after the end';
  if (state.submission === null && state.order?.status !== 'claimed')
    return 'lost before anything was started';
  const seen = state.observation?.status;
  if (seen !== undefined && seen !== 'UNKNOWN') return 'lost while the job is seen';
  return personRule(event);
}

function answeredRule(
  state: RunState,
  data: Extract<LogbookEvent, { type: 'command-answered' }>['data'],
): string | null {
  const seen = state.commands.get(commandKey(data));
  if (seen === undefined) return 'answered a command that was not seen';
  return seen.answer === null ? null : 'a command is answered once';
}
