/** A fix of a failed attempt is launched on no approval of before the failure, whatever the record says of when it was shown. */

import { expect, it } from 'vitest';
import { approvalFault } from '../../src/actions/verify-approvals.ts';
import { NO_BRANCH_WORK } from '../../src/domain/authorship.ts';
import { citationKey } from '../../src/domain/launch/order.ts';
import { known } from '../../src/domain/observed.ts';
import { after } from '../../src/domain/time.ts';
import { bob, digestOf, shaOf, shownDraft } from '../support/run-drafts.ts';
import { aComment, anIssue, aPull, instant, permissions } from '../support/run-facts.ts';
import { CONFIG, gatedOn } from './parts.ts';

const failed = gatedOn().shown().approved(bob).ordered().submitted().ended({ status: 'FAILED' });
const [digest, commit] = [digestOf('the fix'), shaOf('the fix')];
const gated = failed.gated({ digest, commit });
const showing = shownDraft(gated.state);
/** Written with the stolen key: it was shown long before, as indeed it was. */
const shown = gated.add({
  ...showing,
  data: { ...showing.data, shownAt: '2026-11-21T09:00:00.000Z' },
} as typeof showing);
const { state } = shown.approved(bob);

function faultOf(createdAt: ReturnType<typeof instant>): string | null {
  const given = state.approvals.at(-1);
  const first = state.order?.order;
  if (given === undefined || first === undefined) throw new Error('nothing was approved');
  const { comment: id, surface, bodyDigest } = given;
  const cited = { comment: id, surface, user: bob.id, bodyDigest };
  const line = `/approve-launch ${digest.slice('sha256:'.length)}`;
  const comment = aComment(bob, line, { id, bodyDigest, createdAt });
  const order = { ...first, digest, commit, attempt: 2, approvals: [cited] };
  const shownFacts = {
    pull: known(aPull()),
    issue: known(anIssue()),
    branchWork: known(NO_BRANCH_WORK),
  };
  const fault = approvalFault(state, order, {
    now: after(createdAt, 60_000),
    config: CONFIG,
    cited: new Map([[citationKey(cited), known(comment)]]),
    permissions: permissions([bob, 'maintain']),
    used: new Set(),
    shown: shownFacts,
  });
  return fault?.code ?? null;
}

it('a fix is refused on an approval of before the failure, and launched on one of after it', () => {
  const end = instant(state.end?.at ?? '');
  expect(faultOf(after(end, -30_000))).toBe('approval-before-end');
  expect(faultOf(after(end, 30_000))).toBeNull();
});
