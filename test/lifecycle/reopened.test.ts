/** A ferry's pull request is opened again after its run is over. */

import { expect, it } from 'vitest';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
import { approve, propose, readState, until } from '../support/play.ts';
import { MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

// threat T29
it.each([true, false])(
  'a reopened pull request launches nothing after an approval with the old line (server: %s)',
  async (server) => {
    const lab = await openVirtualLab({
      server,
      ferry: { ...SHORT_FERRY, failAt: { step: 600, line: 'RuntimeError: nothing works', exitCode: 1 } },
    });
    const { run, pull, issue } = await propose(lab);
    await until(lab, 'the card', () => findShownApprovalLine(lab, run) !== null, { stepMs: 5_000 });
    const line = requireApprovalLine(lab, run);
    await approve(lab, 'mira', pull, run);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end != null, { stepMs: MINUTE });
    await postComment(lab, 'mira', issue, '/ack reject="it fails"');
    await until(lab, 'the close', async () => (await readState(lab, run))?.closed != null, { stepMs: MINUTE });
    await lab.clock.advance(10 * MINUTE);
    await lab.as('ada', 'PATCH', `/pulls/${pull}`, { state: 'open' });
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'open' });
    await postComment(lab, 'mira', pull, line);
    await postComment(lab, 'ada', issue, '/relaunch');
    await lab.clock.advance(60 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  },
);
