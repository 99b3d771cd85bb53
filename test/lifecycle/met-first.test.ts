/** The launcher sees a brake before control does: the incident's instructions then work. */

import { afterEach, describe, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes, postedEvents } from '../support/recorded.ts';
import {
  holdJobs,
  listAnswersTo,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

type Met = {
  readonly run: string;
  readonly pull: number;
  readonly incident: string;
  readonly answer: readonly string[];
};

/** Posts the brake after the order; GitHub's webhook is lost. */
async function metFirst(brake: string): Promise<Met> {
  const launches = holdJobs('launch');
  lab = await openVirtualLab({ ferry: SHORT_FERRY, beforeJob: launches.beforeJob });
  const { run, pull } = await propose(lab);
  await approve(lab, 'mira', pull);
  await until(lab, 'a launch that waits', async () => launches.waiting() === 1, { stepMs: 5_000 });
  lab.world.state.settings.drop = 'all';
  const said = await postComment(lab, 'mira', pull, brake);
  launches.letGo();
  await untilState(lab, run, (state) => state.order?.status === 'failed', { stepMs: 5_000 });
  expect(listAnswersTo(lab, said)).toEqual([]);
  lab.world.state.settings.drop = 'none';
  await until(lab, 'an answer', async () => listAnswersTo(lab, said).length > 0, { stepMs: MINUTE });
  expect(lab.engine.startCount()).toBe(0);
  expect(await postedEvents(lab, 'incident')).toHaveLength(1);
  return { run, pull, incident: listBotTexts(lab, 'incident')[0] ?? '', answer: await listAnswerCodes(lab, said) };
}

describe('a brake that the launcher sees first', () => {
  it.each([
    { brake: '/hold reason="wait"', answer: 'held', lift: '/unhold' },
    { brake: '/hold date=2026-11-21 now, please', answer: 'held', lift: '/unhold date=2026-11-21' },
    { brake: '/hold lane=daily', answer: 'held', lift: '/unhold lane=daily' },
    { brake: '/revoke', answer: 'revoke-nothing', lift: null },
  ])(
    '($brake) can be lifted as the incident says, and the run launches only after a new approval',
    async ({ brake, answer, lift }) => {
      const met = await metFirst(brake);
      expect(met.answer).toEqual([answer]);
      expect(met.incident).toContain(lift === null ? 'approve again' : 'Lift the hold');
      if (lift !== null) await postComment(lab, 'mira', met.pull, lift);
      await lab.clock.advance(70 * MINUTE);
      expect(lab.engine.startCount()).toBe(0);
      await until(lab, 'the line', async () => requireApprovalLine(lab, met.run) !== '', { stepMs: MINUTE });
      await approve(lab, 'mira', met.pull, met.run);
      await untilState(lab, met.run, (state) => state.submission !== null, { stepMs: 5_000 });
    },
  );

  it('is final if it is a /stop: the run is not launched, and another one can be proposed', async () => {
    const { run, pull, answer, incident } = await metFirst('/stop');
    expect(answer).toEqual(['stop-before-launch']);
    expect((await readState(lab, run))?.stop?.actor.login).toBe('mira');
    expect(incident).toContain('a stop is final. To continue, close this pull request');
    await lab.as('mira', 'PATCH', `/pulls/${pull}`, { state: 'closed' });
    await untilState(lab, run, (state) => state.closed !== null, { stepMs: MINUTE });
    expect((await propose(lab, `${run}-2`)).run).toBe(`${run}-2`);
  });
});
