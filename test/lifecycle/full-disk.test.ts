/**
 * A disk that is full during a push: one incident with instructions, and ferrybot continues once there is
 * space.
 */

import { describe, expect, it } from 'vitest';
import type { FullDisk } from '../support/memory-git.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import {
  listAnswersTo,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

/** A lab with a disk that the test fills and frees. */
async function labWithDisk(
  options: VirtualLabOptions = {},
): Promise<{ readonly lab: VirtualLab; readonly disk: { full: FullDisk } }> {
  const disk: { full: FullDisk } = { full: 'none' };
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, fullDisk: () => disk.full, ...options });
  return { lab, disk };
}

async function launched(lab: VirtualLab, run: string): Promise<void> {
  const limitMs = 8 * 60 * MINUTE;
  await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null, { limitMs });
}

async function sealed(lab: VirtualLab, run: string, issue: number): Promise<void> {
  await until(lab, 'the end', async () => (await readState(lab, run))?.end !== null);
  await postComment(lab, 'mira', issue, '/seal');
  await until(lab, 'the seal', async () => (await readState(lab, run))?.seal !== null);
  expect((await readState(lab, run))?.seal?.verdict).toBe('pass');
  expect(lab.engine.startCount()).toBe(1);
  expect(listRepeatedComments(lab)).toEqual([]);
}

describe.each([
  { place: 'of the git server', full: 'remote' },
  { place: 'of the machine that runs ferrybot', full: 'local' },
] as const)('a full disk $place', ({ full }) => {
  it.each([
    { name: 'a server', server: true },
    { name: 'no server', server: false },
  ])('records and answers an approval once there is space, with $name', async ({ server }) => {
    const { lab, disk } = await labWithDisk({ server });
    const { run, pull, issue } = await propose(lab);
    disk.full = full;
    const approval = await approve(lab, 'mira', pull);
    await lab.clock.advance(90 * MINUTE);
    expect(listAnswersTo(lab, approval)).toEqual([]);
    expect(lab.engine.startCount()).toBe(0);
    expect(listBotTexts(lab, 'incident')).toEqual([expect.stringContaining('No space left on device')]);
    disk.full = 'none';
    await launched(lab, run);
    expect(listAnswersTo(lab, approval)).toHaveLength(1);
    await sealed(lab, run, issue);
    await lab.close();
  });

  it("blocks the submission if the claim cannot be pushed, and the job's log gives the reason", async () => {
    const { lab, disk } = await labWithDisk({
      beforeJob: async (mode) => {
        if (mode === 'launch' && isFirst) disk.full = full;
        isFirst &&= mode !== 'launch';
      },
    });
    let isFirst = true;
    const { run, pull, issue } = await propose(lab);
    await approve(lab, 'mira', pull);
    await lab.clock.advance(5 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect(lab.log.join('\n')).toMatch(
      /launch: git-failed: claimed could not be pushed, so nothing was called: .*No space left[\s\S]*free space/,
    );
    disk.full = 'none';
    await launched(lab, run);
    await sealed(lab, run, issue);
    await lab.close();
  });

  it('pauses the watch while the job continues, and the missed log is read afterwards', async () => {
    const { lab, disk } = await labWithDisk();
    const { run, pull, issue } = await propose(lab);
    await approve(lab, 'mira', pull);
    await launched(lab, run);
    await lab.clock.advance(5 * MINUTE);
    disk.full = full;
    const before = (await readState(lab, run))?.head.seq;
    await lab.clock.advance(40 * MINUTE);
    expect((await readState(lab, run))?.head.seq).toBe(before);
    expect(listBotTexts(lab, 'incident')).toHaveLength(1);
    disk.full = 'none';
    await untilState(lab, run, (state) => state.end !== null, { stepMs: 5_000, limitMs: MINUTE });
    expect((await readState(lab, run))?.end).toMatchObject({ status: 'SUCCEEDED', lastStep: SHORT_FERRY.steps - 1 });
    await sealed(lab, run, issue);
    await lab.close();
  });
});
