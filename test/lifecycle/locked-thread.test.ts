/** A writer locks the threads of a run: GitHub then rejects comments by Apps and workflows. */

import { afterEach, expect, it } from 'vitest';
import { approve, propose, readState, until } from '../support/play.ts';
import { listAnswersTo, listBotTexts, MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const DEATH = { step: 600, line: 'RuntimeError: nothing works', exitCode: 1 };

let lab: VirtualLab;
afterEach(() => lab.close());

const threadOf = (number: number) => Object.values(lab.world.state.issues).find((issue) => issue.number === number);

// threat T95
it.each([true, false])(
  'posts in the locked threads of a run, and locks them again with the same reason (server: %s)',
  async (server) => {
    lab = await openVirtualLab({ server, ferry: { ...SHORT_FERRY, failAt: DEATH } });
    const { run, pull, issue } = await propose(lab);
    const lock = (thread: number, reason: object): Promise<unknown> =>
      lab.as('ada', 'PUT', `/issues/${thread}/lock`, reason);
    await lock(pull, { lock_reason: 'too heated' });
    await lock(issue, {});
    await approve(lab, 'mira', pull, run);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: MINUTE });
    const asked = await postComment(lab, 'mira', issue, '/status');
    await lab.clock.advance(2 * MINUTE);
    expect(listAnswersTo(lab, asked)).toHaveLength(1);
    expect(listBotTexts(lab, 'incident').join()).toContain('is not started again');
    expect(listBotTexts(lab, 'card').join()).toContain('FAILED');
    expect(threadOf(pull)).toMatchObject({ locked: true, lockReason: 'too heated' });
    expect(threadOf(issue)).toMatchObject({ locked: true, lockReason: null });
  },
);

// threat T96
it('posts the answer and notifies maintainers once if GitHub fails to lock the thread again', async () => {
  let isRefusing = true;
  lab = await openVirtualLab({
    ferry: SHORT_FERRY,
    network: async (request, github) =>
      isRefusing && request.method === 'PUT' && request.url.endsWith('/lock')
        ? Response.json({ message: 'Server Error' }, { status: 502 })
        : github(request),
  });
  const { pull } = await propose(lab);
  isRefusing = false;
  await lab.as('ada', 'PUT', `/issues/${pull}/lock`, { lock_reason: 'spam' });
  isRefusing = true;
  const asked = await postComment(lab, 'mira', pull, '/status');
  await lab.clock.advance(2 * MINUTE);
  await postComment(lab, 'mira', pull, '/status');
  await lab.clock.advance(2 * MINUTE);
  expect(listAnswersTo(lab, asked)).toHaveLength(1);
  const notices = listBotTexts(lab, 'notice');
  expect(notices).toHaveLength(1);
  expect(notices.join()).toMatch(/This thread was locked, and is open now[\s\S]*@mira/);
});
