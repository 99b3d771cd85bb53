/** The launch gates that runs of every kind pass, and the evaluation of all at one moment, in the order in which a person reads them. */

import { GATES, isRunnerGate, type Verdict } from '../domain/launch/verdict.ts';
import type { Digest } from '../domain/values.ts';
import {
  type ApprovalFacts,
  type ApprovalGate,
  type ApprovalGateFacts,
  type ChangeGateFacts,
  cannotTell,
  type Gate,
  type GateFacts,
  type GivenApproval,
  given,
  givenTo,
  type Judgement,
  judging,
} from './gate.ts';
import {
  clusterMatches,
  configValid,
  costBudget,
  laneFree,
  manifestComplete,
  notHeld,
} from './launch-gates.ts';
import {
  authorsKnown,
  checksGreen,
  freshness,
  headRepository,
  issueUpdated,
  preconditions,
  runNameDated,
  targetBranch,
} from './proposal-gates.ts';

const allowed = judging('approver-allowed');

export const approverAllowed: ApprovalGate = {
  id: 'approver-allowed',
  evaluate: ({ approvals, bound }) =>
    given(approvals, (facts) => given(bound, (now) => judgeApprovers(givenTo(facts, now), facts))),
};

function judgeApprovers(current: readonly GivenApproval[], { needed, beforehand }: ApprovalFacts): Judgement {
  const counting = people(current.filter((one) => isNow(one, 'counts')));
  const found = { count: counting.length, needed, who: counting.map(({ actor }) => actor.login) };
  const lost = current.find((one) => one.standing.kind === 'known' && one.standing.value !== 'counts');
  if (lost?.standing.kind === 'known')
    return allowed.block('not-counting', 'approver', {
      ...found,
      by: lost.actor.login,
      why: lost.standing.value,
    });
  if (counting.length >= needed)
    return allowed.pass(beforehand === undefined ? 'enough' : 'beforehand', found);
  const unread = current.find((one) => one.standing.kind === 'unknown');
  if (unread?.standing.kind === 'unknown') return cannotTell(unread.standing.why);
  return allowed.block('too-few', 'approver', { ...found, missing: needed - counting.length });
}

function isNow({ standing }: GivenApproval, wanted: string): boolean {
  return standing.kind === 'known' && standing.value === wanted;
}

/** One person counts once, however often they said it. */
function people(approvals: readonly GivenApproval[]): readonly GivenApproval[] {
  return [...new Map(approvals.map((one) => [one.actor.id, one])).values()];
}

const { block, pass } = judging('manifest-unchanged');

/** Gate: what would be launched is what was approved: the same manifest, and the same text around it (architecture, D4). */
const manifestUnchanged: ApprovalGate = {
  id: 'manifest-unchanged',
  evaluate: ({ approvals, bound }) => given(approvals, (facts) => given(bound, (now) => judge(facts, now))),
};

type Bound = { readonly digest: Digest; readonly body: Digest };

/** Nothing approved, nothing changed; an approval that fell because of a change is told until there is a new one. */
function judge(facts: ApprovalFacts, now: Bound): Judgement {
  const digest = now.digest.slice(7, 19);
  const last = facts.given.at(-1)?.digest ?? null;
  if (givenTo(facts, now).length > 0)
    return facts.beforehand === undefined
      ? pass('as-approved', { digest })
      : pass('fix-beforehand', { digest, approved: facts.beforehand.slice(7, 19) });
  const before = last ?? facts.lastDrop?.digest ?? now.digest;
  const isChanged = before !== now.digest || last !== null || facts.lastDrop?.reason === 'manifest-changed';
  return isChanged
    ? block('changed', 'approver', { approved: before.slice(7, 19), digest })
    : pass('not-approved-yet', { digest });
}

/** Gates over the change and the lane: an approval is given when they pass, and a launch needs them again. */
const CHANGE_GATES: readonly Gate[] = [
  targetBranch,
  headRepository,
  authorsKnown,
  freshness,
  checksGreen,
  configValid,
  runNameDated,
  preconditions,
  issueUpdated,
  clusterMatches,
  costBudget,
  laneFree,
  notHeld,
  manifestComplete,
];

const OVER_APPROVALS = [approverAllowed, manifestUnchanged] as const;

/** The gates over the change and the lane, with those that only the kind has. */
export function changeGates(own: readonly Gate[]): readonly Gate[] {
  return [...CHANGE_GATES, ...own].toSorted((a, b) => GATES.indexOf(a.id) - GATES.indexOf(b.id));
}

/** The verdicts that are recorded in `gated`: each explains itself. */
export function changeVerdicts(facts: ChangeGateFacts): readonly Verdict[] {
  return changeGates(facts.own).map((gate) => ({ gate: gate.id, ...gate.evaluate(facts) }));
}

/** What the runner evaluates again: the same gates over the change and the lane, on its own reading. */
export function runnerVerdicts(facts: ChangeGateFacts): readonly Verdict[] {
  return changeVerdicts(facts).filter(({ gate }) => isRunnerGate(gate));
}

/** The verdicts over the approvals, on the two facts that they look at. */
export function approvalVerdicts(facts: ApprovalGateFacts): readonly Verdict[] {
  return OVER_APPROVALS.map((gate) => ({ gate: gate.id, ...gate.evaluate(facts) }));
}

/** Every gate's verdict on the same facts. */
export function runGates(facts: GateFacts): readonly Verdict[] {
  return [...changeVerdicts(facts), ...approvalVerdicts(facts)];
}
