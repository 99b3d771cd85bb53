/** Commands wherever people write: comments, review bodies and comments on lines, in long threads, by webhook and by sweep. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { propose, stateOf } from '../support/play.ts';
import { botComments, SHORT_FERRY, saidTwice, say } from '../support/talk.ts';
import { openVirtualLab, type Person, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const EXPERIMENT = 'experiments/ferries/daily.py';
const numbered = z.object({ id: z.number() });
const headed = z.object({ head: z.object({ sha: z.string() }) });

/** A review with a body; gives its id. */
async function review(lab: VirtualLab, who: Person, pull: number, body: string): Promise<number> {
  return numbered.parse(await lab.as(who, 'POST', `/pulls/${pull}/reviews`, { body, event: 'COMMENT' })).id;
}

/** A comment on a changed line; gives its id. */
async function remark(lab: VirtualLab, who: Person, pull: number, body: string): Promise<number> {
  const { sha } = headed.parse(await lab.as(who, 'GET', `/pulls/${pull}`)).head;
  const path = `/pulls/${pull}/comments`;
  return numbered.parse(await lab.as(who, 'POST', path, { body, commit_id: sha, path: EXPERIMENT, line: 1 }))
    .id;
}

function answers(lab: VirtualLab, surface: string, id: number): readonly string[] {
  return botComments(lab)
    .filter(({ kind, key }) => kind === 'answer' && key === `${surface}-${id}`)
    .map(({ text }) => text);
}

async function proposed(webhooks: boolean): Promise<{ lab: VirtualLab; run: string; pull: number }> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks });
  return { lab, ...(await propose(lab)) };
}

describe.each([
  { by: 'webhook', webhooks: true, waitMs: MINUTE },
  { by: 'sweep alone', webhooks: false, waitMs: 45 * MINUTE },
])('a command that is heard by $by', ({ webhooks, waitMs }) => {
  it('in a comment on a line and in a review body is answered once, and a review approves', async () => {
    const { lab, run, pull } = await proposed(webhooks);
    const onLine = await remark(lab, 'mira', pull, '/approve-launch');
    const status = await review(lab, 'ada', pull, 'Looks right.\n\n/status');
    await lab.clock.advance(waitMs);
    expect(answers(lab, 'review-comment', onLine)).toEqual([
      expect.stringContaining('An approval has to be a comment or a review of its own'),
    ]);
    expect(answers(lab, 'review', status)).toEqual([expect.stringContaining('this is where the run stands')]);
    const approval = await review(lab, 'mira', pull, '/approve-launch');
    await lab.clock.advance(waitMs);
    expect(answers(lab, 'review', approval)).toEqual([expect.stringContaining('approved manifest')]);
    expect((await stateOf(lab, run))?.approvals).toMatchObject([{ surface: 'review', comment: approval }]);
    await lab.clock.advance(waitMs);
    expect((await stateOf(lab, run))?.submission).not.toBeNull();
    expect(saidTwice(lab)).toEqual([]);
    expect(lab.world.state.unserved).toEqual([]);
    await lab.close();
  });

  it('at the top of a long talk is answered', async () => {
    const { lab, pull } = await proposed(webhooks);
    // What GitHub does not deliver while it is away is found later, a hundred comments further up.
    lab.world.state.settings.drop = 'all';
    const first = await say(lab, 'ada', pull, '/status');
    const early = await review(lab, 'ada', pull, '/status');
    for (let n = 0; n < 120; n += 1) await say(lab, 'ada', pull, `I think ${n} is a fine number.`);
    for (let n = 0; n < 55; n += 1) await review(lab, 'ada', pull, `Thought ${n} about it.`);
    await lab.clock.advance(65 * MINUTE);
    expect(answers(lab, 'comment', first)).toHaveLength(1);
    expect(answers(lab, 'review', early)).toHaveLength(1);
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });
});

describe('a comment that changes after it was read', () => {
  it('by an edit that adds a command is told once to post it anew; by one in its prose, nothing', async () => {
    const { lab, run, pull } = await proposed(true);
    const comment = await say(lab, 'mira', pull, '/status');
    const edit = (body: string): Promise<unknown> =>
      lab.as('mira', 'PATCH', `/issues/comments/${comment}`, { body });
    await edit('/status\n\nThanks!');
    await lab.clock.advance(MINUTE);
    expect(answers(lab, 'comment', comment)).toHaveLength(1);
    for (const more of ['/approve-launch', '/approve-launch\n\n/stop']) {
      await edit(`/status\n\n${more}`);
      await lab.clock.advance(35 * MINUTE);
    }
    expect(answers(lab, 'comment', comment)).toHaveLength(1);
    const told = botComments(lab).filter(({ key }) => key === `comment-${comment}-edited`);
    expect(told.map(({ text }) => text)).toEqual([
      expect.stringContaining('Write `/approve-launch` in a new one'),
    ]);
    expect((await stateOf(lab, run))?.approvals).toEqual([]);
    expect(saidTwice(lab)).toEqual([]);
    await lab.close();
  });
});
