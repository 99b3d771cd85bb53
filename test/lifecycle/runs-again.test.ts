/** A writer re-runs old workflow runs: each has the event and inputs of then, and the current keys. */

import { expect, it } from 'vitest';
import { approve, playFerry, propose, readState, until } from '../support/play.ts';
import { holdJobs, listRepeatedComments, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/** Re-runs every completed workflow run, one after the other; returns how many were accepted. */
async function runAllAgain(lab: VirtualLab): Promise<number> {
  const ended = Object.values(lab.world.state.runs).filter(({ status }) => status === 'completed');
  let taken = 0;
  for (const { id } of ended) {
    await lab.as('ada', 'POST', `/actions/runs/${id}/rerun`);
    taken += 1;
    await lab.clock.advance(2_000);
  }
  await lab.clock.advance(20 * MINUTE);
  return taken;
}

// threat T156
it('re-running all workflow runs of a sealed ferry causes no launch, comment or record entry', async () => {
  const lab = await openVirtualLab({ server: false, ferry: SHORT_FERRY });
  const { run } = await playFerry(lab);
  const before = await readState(lab, run);
  expect(await runAllAgain(lab)).toBeGreaterThan(3);
  expect(lab.engine.startCount()).toBe(1);
  expect(listRepeatedComments(lab)).toEqual([]);
  expect((await readState(lab, run))?.head).toEqual(before?.head);
  await lab.close();
});

// threat T157
it('re-running all workflow runs after a revoked approval launches nothing', async () => {
  const held = holdJobs('launch');
  const lab = await openVirtualLab({ server: false, ferry: SHORT_FERRY, beforeJob: held.beforeJob });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull, run);
  await until(lab, 'the launcher', () => held.waiting() > 0, { stepMs: 5_000 });
  await postComment(lab, 'mira', pull, '/revoke');
  await lab.clock.advance(2 * MINUTE);
  held.letGo();
  await lab.clock.advance(2 * MINUTE);
  expect(await runAllAgain(lab)).toBeGreaterThan(3);
  expect(lab.engine.startCount()).toBe(0);
  expect((await readState(lab, run))?.submission ?? null).toBeNull();
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});
