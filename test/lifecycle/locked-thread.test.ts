/** Somebody locks the threads of a run: GitHub takes no word of an App or a workflow there any more. */

import { afterEach, expect, it } from 'vitest';
import { approve, propose, stateOf, until } from '../support/play.ts';
import { answersTo, SHORT_FERRY, say, told } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const DEATH = { step: 600, line: 'RuntimeError: nothing works', exitCode: 1 };

let lab: VirtualLab;
afterEach(() => lab.close());

const threadOf = (number: number) =>
  Object.values(lab.world.state.issues).find((issue) => issue.number === number);

it.each([true, false])(
  'what a run has to say is said in its locked threads, which are locked as before (server: %s)',
  async (server) => {
    lab = await openVirtualLab({ server, ferry: { ...SHORT_FERRY, failAt: DEATH } });
    const { run, pull, issue } = await propose(lab);
    const lock = (thread: number, reason: object): Promise<unknown> =>
      lab.as('ada', 'PUT', `/issues/${thread}/lock`, reason);
    await lock(pull, { lock_reason: 'too heated' });
    await lock(issue, {});
    await approve(lab, 'mira', pull, run);
    await until(lab, 'the end', async () => (await stateOf(lab, run))?.end != null, { stepMs: MINUTE });
    const asked = await say(lab, 'mira', issue, '/status');
    await lab.clock.advance(2 * MINUTE);
    expect(answersTo(lab, asked)).toHaveLength(1);
    expect(told(lab, 'incident').join()).toContain('is not started again');
    expect(told(lab, 'card').join()).toContain('FAILED');
    expect(threadOf(pull)).toMatchObject({ locked: true, lockReason: 'too heated' });
    expect(threadOf(issue)).toMatchObject({ locked: true, lockReason: null });
  },
);
