/** The ferry's issue is moved to another repository, or deleted, while its job runs. */

import { expect, it } from 'vitest';
import { approvalLine } from '../support/approve.ts';
import { propose, stateOf, until } from '../support/play.ts';
import { answersTo, say } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;

function moveAway({ world }: VirtualLab, number: number): void {
  const { issues } = world.state;
  for (const [key, row] of Object.entries(issues)) if (row.number === number) delete issues[key];
}

it('a /stop in the pull request is answered and stops the job though the issue is gone', async () => {
  const lab = await openVirtualLab();
  const { run, pull, issue } = await propose(lab);
  await say(lab, 'mira', pull, approvalLine(lab));
  await until(lab, 'the first look', async () => (await stateOf(lab, run))?.observation != null, {
    stepMs: MINUTE,
  });
  moveAway(lab, issue);
  const stop = await say(lab, 'mira', pull, '/stop');
  await until(lab, 'the end', async () => (await stateOf(lab, run))?.end?.status === 'STOPPED', {
    stepMs: MINUTE,
  });
  expect(answersTo(lab, stop)).toEqual([expect.stringContaining('stop asked for by mira')]);
  await lab.close();
});

it('nothing is launched on a proposal whose issue is gone', async () => {
  const lab = await openVirtualLab();
  const { pull, issue } = await propose(lab);
  const line = approvalLine(lab);
  moveAway(lab, issue);
  await say(lab, 'mira', pull, line);
  await lab.clock.advance(90 * MINUTE);
  expect(lab.engine.startCount()).toBe(0);
  await lab.close();
});
