/** Gate: what would be launched is what was approved: the same manifest, and the same text around it (architecture, D4). */

import type { Digest } from '../domain/ids.ts';
import { type ApprovalFacts, givenTo } from './approvals.ts';
import { type ApprovalGate, given, type Judgement, judging } from './gate.ts';

const { block, pass } = judging('manifest-unchanged');

export const manifestUnchanged: ApprovalGate = {
  id: 'manifest-unchanged',
  evaluate: ({ approvals, bound }) => given(approvals, (facts) => given(bound, (now) => judge(facts, now))),
};

type Bound = { readonly digest: Digest; readonly body: Digest };

/** Nothing approved, nothing changed; an approval that fell because of a change is told until there is a new one. */
function judge(facts: ApprovalFacts, now: Bound): Judgement {
  const digest = now.digest.slice(7, 19);
  if (givenTo(facts, now).length > 0)
    return facts.beforehand === undefined
      ? pass('as-approved', { digest })
      : pass('fix-beforehand', { digest, approved: facts.beforehand.slice(7, 19) });
  const last = facts.given.at(-1) ?? null;
  const before = last?.digest ?? facts.lastDrop?.digest ?? now.digest;
  if (before !== now.digest) return block('changed', 'approver', { approved: before.slice(7, 19), digest });
  if (last !== null || facts.lastDrop?.reason === 'body-edited')
    return block('text-changed', 'approver', { digest });
  return pass('not-approved-yet', { digest });
}
