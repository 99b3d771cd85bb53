/** Gate: enough distinct people who may approve have approved, by what the run costs. */

import { type ApprovalFacts, type GivenApproval, givenTo } from './approvals.ts';
import { type ApprovalGate, cannotTell, given, type Judgement, judging } from './gate.ts';

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
