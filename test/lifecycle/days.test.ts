/**
 * On consecutive days, each ferry builds on the record of the last one, tries another candidate, and shows
 * its interval.
 */

import { describe, expect, it } from 'vitest';
import { approveAndFinish, playFerry, propose, readState, seal } from '../support/play.ts';
import {
  listBotComments,
  listRepeatedComments,
  nextMorning,
  pushFile,
  readBody,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/** The line of the card that names the ferries in the comparison. */
function comparedWith(lab: VirtualLab, pull: number): string | undefined {
  const card = listBotComments(lab).find(({ thread, kind }) => thread === pull && kind === 'card');
  return card?.text.split('\n').find((line) => /^No sealed ferry|^Median of/.test(line));
}

describe('ferries on consecutive days', () => {
  it('link the last ferry, change another knob, and use its launch commit and the median of sealed ferries', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const days = [await playFerry(lab)];
    for (let day = 1; day < 3; day += 1) {
      await nextMorning(lab);
      await pushFile(lab, 'ada', 'main', `lib/smalllab/note${day}.py`, `"""Change of day ${day}."""\n`);
      days.push(await playFerry(lab));
    }
    expect(days.map(({ run }) => run)).toEqual([
      'ferry-daily-20261121',
      'ferry-daily-20261122',
      'ferry-daily-20261123',
    ]);
    const states = await Promise.all(days.map(({ run }) => readState(lab, run)));
    expect(states.map((state) => state?.seal?.verdict)).toEqual(['pass', 'pass', 'pass']);
    expect(new Set(states.map((state) => state?.proposal.candidate)).size).toBe(3);
    expect(states[0]?.proposal.interval).toMatchObject({ fallback: true, lastRun: null, sinceCommit: null });
    for (const [day, { run, pull, issue }] of days.slice(0, -1).entries()) {
      const next = states[day + 1];
      expect(next?.proposal.interval).toMatchObject({
        fallback: false,
        lastRun: run,
        sinceCommit: states[day]?.submission?.commit,
      });
      const body = readBody(lab, next?.proposal.pull ?? 0);
      expect(body).toContain(`#${issue}`);
      expect(body).toContain(`#${pull}`);
      expect(body).toContain(`Change lib/smalllab/note${day + 1}.py`);
      expect(body).not.toContain(`Change lib/smalllab/note${day}.py`);
    }
    expect(lab.engine.startCount()).toBe(3);
    expect(listRepeatedComments(lab)).toEqual([]);
    // Neither the ferry's own seal nor later seals are in its comparison.
    expect(days.map(({ pull }) => comparedWith(lab, pull))).toEqual([
      'No sealed ferry to compare with yet.',
      'Median of 1 sealed ferry: `ferry-daily-20261121`.',
      'Median of 2 sealed ferries: `ferry-daily-20261122`, `ferry-daily-20261121`.',
    ]);
    await lab.close();
  });

  it('use the last launched ferry for the interval if the one between was withdrawn', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const first = await playFerry(lab);
    await nextMorning(lab);
    const unwanted = await propose(lab);
    await lab.as('mira', 'PATCH', `/pulls/${unwanted.pull}`, { state: 'closed' });
    await lab.clock.advance(60_000);
    expect((await readState(lab, unwanted.run))?.closed).toMatchObject({ outcome: 'withdrawn' });
    expect(listBotComments(lab).filter(({ kind }) => kind === 'closed')).toHaveLength(1);
    await nextMorning(lab);
    const third = await propose(lab);
    const state = await readState(lab, third.run);
    expect(state?.proposal.interval).toMatchObject({
      fallback: false,
      sinceCommit: (await readState(lab, first.run))?.submission?.commit,
    });
    expect(state?.proposal.candidate).not.toBe((await readState(lab, first.run))?.proposal.candidate);
    await approveAndFinish(lab, third.run, third.pull);
    await seal(lab, third.run, third.issue);
    expect(lab.engine.startCount()).toBe(2);
    await lab.close();
  });

  it('propose nothing while the last ferry is open', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    await approveAndFinish(lab, run, pull);
    await nextMorning(lab);
    await lab.dispatchDaily();
    await lab.clock.advance(60_000);
    expect(await readState(lab, 'ferry-daily-20261122')).toBeNull();
    expect(Object.values(lab.world.state.issues).filter((issue) => issue.pull !== null)).toHaveLength(1);
    await lab.close();
  });
});
