/** The launch gates that runs of every kind pass, and the evaluation of all at one moment, in the order in which a person reads them. */

import type { Digest } from '../domain/ids.ts';
import { isRunnerGate } from '../domain/launch/refusal.ts';
import { GATES, type Verdict } from '../domain/launch/verdict.ts';
import { type ApprovalFacts, givenTo } from './approvals.ts';
import { approverAllowed } from './approver-allowed.ts';
import {
  type ApprovalGate,
  type ApprovalGateFacts,
  type ChangeGateFacts,
  type Gate,
  type GateFacts,
  given,
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
