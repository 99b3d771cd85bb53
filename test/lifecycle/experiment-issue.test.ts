/** An issue that gets the label `experiment`: one card that says what ferrybot sees, what is missing, and what can be done. */

import { afterEach, describe, expect, it } from 'vitest';
import { propose } from '../support/play.ts';
import { botComments, MINUTE, SHORT_FERRY, say } from '../support/talk.ts';
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

const cardsIn = (thread: number) =>
  botComments(lab).filter((one) => one.thread === thread && one.kind === 'card');

describe('an experiment issue', () => {
  it('gets its card with the label, and one card only', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const issue = await issueWith([]);
    await lab.clock.advance(MINUTE);
    expect(cardsIn(issue)).toEqual([]);
    await lab.as('ada', 'POST', `/issues/${issue}/labels`, { labels: ['experiment'] });
    await lab.clock.advance(MINUTE);
    expect(cardsIn(issue).map(({ text }) => text)).toEqual([expect.stringContaining('free; no ferry yet')]);
    expect(cardsIn(issue)[0]?.text).toMatchSnapshot();
    await lab.as('ada', 'POST', `/issues/${issue}/labels`, { labels: ['later'] });
    await say(lab, 'mira', issue, '/hold lane=daily reason="a bad node"');
    await lab.clock.advance(40 * MINUTE);
    expect(cardsIn(issue)).toHaveLength(1);
    expect(cardsIn(issue)[0]?.text).toContain('the lane `daily` is on hold by mira: a bad node');
  });

  it('gets it within hours where no webhook comes, and tells of the run that the lane has', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY, webhooks: false });
    const { run } = await propose(lab);
    const issue = await issueWith(['experiment']);
    await lab.clock.advance(7 * 60 * MINUTE);
    expect(cardsIn(issue).map(({ text }) => text)).toEqual([expect.stringContaining(run)]);
  });

  it('gets it also where GitHub could not list the issues when they were looked for', async () => {
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

  it('gets none once it is closed', async () => {
    lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const issue = await issueWith([]);
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await lab.as('ada', 'POST', `/issues/${issue}/labels`, { labels: ['experiment'] });
    await lab.clock.advance(5 * MINUTE);
    expect(cardsIn(issue)).toEqual([]);
  });
});
