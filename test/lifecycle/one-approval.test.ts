/**
 * Launches are approved with `/approve-launch`, other actions with `/approve`; each command recognises the
 * other's digests.
 */

import { expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { propose, readEventsOf } from '../support/play.ts';
import { listAnswersTo, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

it('ignores a bare /approve without a pending action, and answers a wrong or old command with the right line', async () => {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY });
  const { pull, run } = await propose(lab);
  const line = requireApprovalLine(lab);
  const others = [];
  for (const text of ['/approve', '/approve no-issue', '**/approve**', '/approved'])
    others.push(await postComment(lab, 'mira', pull, text));
  const launch = await postComment(lab, 'mira', pull, line.replace('/approve-launch', '/approve'));
  const unknown = await postComment(lab, 'mira', pull, `/approve ${'0'.repeat(32)}`);
  const old = await postComment(lab, 'mira', pull, '/approve-node-delete vm=ray-worker-7c21');
  await lab.clock.advance(40 * MINUTE);
  expect(others.slice(0, 3).flatMap((said) => listAnswersTo(lab, said))).toEqual([]);
  expect(listAnswersTo(lab, launch)).toEqual([expect.stringContaining(`\`${line}\``)]);
  expect(listAnswersTo(lab, unknown)).toEqual([expect.stringContaining('no action with this digest')]);
  expect(listAnswersTo(lab, old)).toEqual([expect.stringContaining('`/approve`')]);
  const types = (await readEventsOf(lab, run)).map(({ type }) => type);
  expect(types).not.toContain('approved');
  expect(types).not.toContain('action-approved');
  await lab.close();
});
