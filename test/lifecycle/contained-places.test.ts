/** A failure of one receipt, answer or seal is reported once and does not block the others. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunState } from '../../src/domain/logbook/run-state.ts';
import { approveAndFinish, playFerry, propose, readEventsOf, readState } from '../support/play.ts';
import {
  listAnswersTo,
  listRepeatedComments,
  MINUTE,
  nextMorning,
  openExperiment,
  postComment,
  pushFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const seam = vi.hoisted(() => ({ receipt: 0, answer: '', tag: '' }));

vi.mock('../../src/github/comments.ts', async (original) => {
  const whole = await original<typeof import('../../src/github/comments.ts')>();
  return {
    ...whole,
    addReaction: (...args: Parameters<typeof whole.addReaction>): ReturnType<typeof whole.addReaction> => {
      if (args[2] === seam.receipt) throw new TypeError('no receipt today');
      return whole.addReaction(...args);
    },
  };
});
vi.mock('../../src/render/answer.ts', async (original) => {
  const whole = await original<typeof import('../../src/render/answer.ts')>();
  return {
    ...whole,
    renderJournalAnswer: (...args: Parameters<typeof whole.renderJournalAnswer>): string => {
      if (args[0] === seam.answer) throw new TypeError('no answer today');
      return whole.renderJournalAnswer(...args);
    },
  };
});
vi.mock('../../src/run/command-events.ts', async (original) => {
  const whole = await original<typeof import('../../src/run/command-events.ts')>();
  return {
    ...whole,
    sealTagName: (state: RunState): string => {
      if (state.run === seam.tag) throw new TypeError('no tag today');
      return whole.sealTagName(state);
    },
  };
});

let lab: VirtualLab;
afterEach(async () => {
  Object.assign(seam, { receipt: 0, answer: '', tag: '' });
  expect(listRepeatedComments(lab)).toEqual([]);
  await lab.close();
});

const toldIn = (thread: number): readonly string[] =>
  Object.values(lab.world.state.comments)
    .filter(({ issueNumber, body }) => issueNumber === thread && body.includes('had an internal error'))
    .map(({ body }) => body);

describe('a receipt', () => {
  it('that fails does not prevent the answer, without a server', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, server: false });
    const { pull } = await propose(lab);
    seam.receipt = 1 + (await postComment(lab, 'ada', pull, 'I ask something'));
    const asked = await postComment(lab, 'mira', pull, '/status');
    expect(asked).toBe(seam.receipt);
    await lab.clock.advance(MINUTE);
    expect(listAnswersTo(lab, asked)).toHaveLength(1);
  });
});

describe('a journal answer', () => {
  it('that fails does not block other answers in its thread, and is posted once the error is fixed', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const issue = await openExperiment(lab);
    const next = 1 + (await postComment(lab, 'ada', issue, 'I ask two things'));
    seam.answer = `comment-${next}`;
    const first = await postComment(lab, 'mira', issue, '/status');
    expect(first).toBe(next);
    const second = await postComment(lab, 'ada', issue, '/status');
    await lab.clock.advance(40 * MINUTE);
    expect([first, second].map((one) => listAnswersTo(lab, one).length)).toEqual([0, 1]);
    expect(toldIn(issue)).toEqual([expect.stringContaining(`\`comment-${first}\``)]);
    seam.answer = '';
    await lab.clock.advance(70 * MINUTE);
    expect(listAnswersTo(lab, first)).toHaveLength(1);
  });
});

describe('a seal', () => {
  it("does not hide another seal's lost tag if its own tag check fails", async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await playFerry(lab);
    await nextMorning(lab);
    await pushFile(lab, 'ada', 'main', 'lib/smalllab/note.py', '"""A change of the day."""\n');
    const next = await propose(lab);
    await approveAndFinish(lab, next.run, next.pull);
    seam.tag = next.run;
    const { seal } = (await readState(lab, run)) ?? {};
    await lab.as('ada', 'DELETE', `/git/refs/tags/${seal?.tag}`);
    await lab.clock.advance(70 * MINUTE);
    const lost = Object.values(lab.world.state.comments).filter(({ body }) => body.includes('has lost its tag'));
    expect(lost.map(({ issueNumber }) => issueNumber)).toEqual([pull]);
    expect((await readEventsOf(lab, 'journal')).filter(({ type }) => type === 'incident').length).toBe(2);
  });
});
