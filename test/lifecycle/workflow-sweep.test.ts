/** The scheduled sweep of a lab without a server: it finds what started no job, and asks GitHub for no more than it needs. */

import { beforeEach, describe, expect, it } from 'vitest';
import { approve, propose, untilState } from '../support/play.ts';
import { listAnswersTo, listBotTexts, MINUTE, postComment } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const SWEPT_MS = 31 * MINUTE;

let lab: VirtualLab;
let pull: number;
beforeEach(async () => {
  lab = await openVirtualLab({ server: false });
  const proposed = await propose(lab);
  pull = proposed.pull;
  await approve(lab, 'mira', pull, proposed.run);
  await untilState(lab, proposed.run, ({ observation }) => observation !== null);
  await lab.clock.advance(SWEPT_MS);
  return () => lab.close();
});

/** Paths that the bot requests during the work. */
async function requested(work: () => Promise<unknown>): Promise<readonly string[]> {
  const paths: string[] = [];
  const { fetch } = lab.world;
  Object.assign(lab.world, {
    fetch: (request: Request) => {
      paths.push(new URL(request.url).pathname.replace('/api/v3/repos/lab/ferries', ''));
      return fetch(request);
    },
  });
  await work();
  Object.assign(lab.world, { fetch });
  return paths;
}

describe('the sweep while a job runs', () => {
  it('answers a command in a review without listing reviews', async () => {
    await lab.as('mira', 'POST', `/pulls/${pull}/reviews`, { event: 'COMMENT', body: '/why' });
    expect(listBotTexts(lab, 'answer')).toHaveLength(1);
    const paths = await requested(() => lab.clock.advance(SWEPT_MS));
    expect(listBotTexts(lab, 'answer')).toHaveLength(2);
    expect(paths.filter((path) => /\/pulls\/comments$|\/reviews$/.test(path))).toEqual([]);
  });

  it('answers an indented command in a thread without a run', async () => {
    const issue = (await lab.as('mira', 'POST', '/issues', { title: 'a question', labels: ['experiment'] })) as {
      readonly number: number;
    };
    const comment = await postComment(lab, 'mira', issue.number, ' /status');
    expect(listAnswersTo(lab, comment)).toEqual([]);
    await lab.clock.advance(SWEPT_MS);
    expect(listAnswersTo(lab, comment)).toHaveLength(1);
  });
});
