/**
 * An issue with the label `experiment` gets one card: what ferrybot understood, what is missing, and the next
 * commands.
 */

import { afterEach, describe, expect, it } from 'vitest';
import {
  commentAndReadAnswer,
  openAdoptingLab,
  openIssue,
  runOf,
  startJobByHand,
  WATCH,
} from '../support/adopted-job.ts';
import { propose } from '../support/play.ts';
import { listBotComments, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

let lab: VirtualLab;
afterEach(async () => {
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

async function issueWith(labels: readonly string[]): Promise<number> {
  const issue = await lab.as('ada', 'POST', '/issues', { title: 'Try cosine', body: 'Why not?', labels });
  return (issue as { number: number }).number;
}

const cardsIn = (thread: number) => listBotComments(lab).filter((one) => one.thread === thread && one.kind === 'card');

describe('an experiment issue', () => {
  it('gets one card when the label is added, and the card is updated later', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const issue = await issueWith([]);
    await lab.clock.advance(MINUTE);
    expect(cardsIn(issue)).toEqual([]);
    await lab.as('ada', 'POST', `/issues/${issue}/labels`, { labels: ['experiment'] });
    await lab.clock.advance(MINUTE);
    expect(cardsIn(issue).map(({ text }) => text)).toEqual([expect.stringContaining('free; no run yet')]);
    expect(cardsIn(issue)[0]?.text).toMatchSnapshot();
    await lab.as('ada', 'POST', `/issues/${issue}/labels`, { labels: ['later'] });
    await postComment(lab, 'mira', issue, '/hold lane=daily reason="a bad node"');
    await lab.clock.advance(40 * MINUTE);
    expect(cardsIn(issue)).toHaveLength(1);
    expect(cardsIn(issue)[0]?.text).toContain('the lane `daily` is on hold by mira: a bad node');
  });

  it("gets its card within hours without webhooks, and the card names the lane's open run", async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks: false });
    const { run } = await propose(lab);
    const issue = await issueWith(['experiment']);
    await lab.clock.advance(7 * 60 * MINUTE);
    expect(cardsIn(issue).map(({ text }) => text)).toEqual([expect.stringContaining(run)]);
  });

  it('gets its card even if GitHub failed to list the issues at first', async () => {
    const away = { is: true, asked: 0 };
    lab = await openVirtualLab({
      ferry: SHORT_FERRY,
      webhooks: false,
      network: (request, github) => {
        if (!away.is || !/\/issues\?.*since=/.test(request.url)) return github(request);
        away.asked += 1;
        return Promise.resolve(Response.json({ message: 'Server Error' }, { status: 500 }));
      },
    });
    const issue = await issueWith(['experiment']);
    await lab.clock.advance(7 * 60 * MINUTE);
    expect(away.asked).toBeGreaterThan(0);
    away.is = false;
    await lab.clock.advance(60 * MINUTE);
    expect(cardsIn(issue)).toHaveLength(1);
  });

  it('points to the card of the run that starts in it', async () => {
    lab = await openAdoptingLab();
    startJobByHand(lab);
    const issue = await openIssue(lab, 'ada', ['experiment']);
    await lab.clock.advance(MINUTE);
    expect(cardsIn(issue).map(({ text }) => text)).toEqual([expect.stringContaining('no run belongs to it')]);
    expect(await commentAndReadAnswer(lab, 'mira', issue, WATCH)).toBe('adopt-asked');
    await lab.clock.advance(40 * MINUTE);
    const [old, card] = cardsIn(issue);
    expect(card?.run).toBe(runOf(issue));
    expect(old?.text.trim()).toBe(
      `🤖 The run \`${runOf(issue)}\` belongs to this issue. [Status card](../issues/${issue}#issuecomment-${card?.id})`,
    );
  });

  it('gets no card if it is closed', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const issue = await issueWith([]);
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await lab.as('ada', 'POST', `/issues/${issue}/labels`, { labels: ['experiment'] });
    await lab.clock.advance(5 * MINUTE);
    expect(cardsIn(issue)).toEqual([]);
  });
});
