/**
 * There is one check run on the proposal's head, and it completes with the job, whichever process created it.
 */

import { expect, it } from 'vitest';
import { approveAndFinish, propose } from '../support/play.ts';
import { listBotComments, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab } from '../support/virtual-lab.ts';

it.each([{ server: true }, { server: false }])(
  'the check run completes within a minute after the job ends (server: $server)',
  async ({ server }) => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, server });
    const { run, pull } = await propose(lab);
    await approveAndFinish(lab, run, pull);
    await lab.clock.advance(60_000);
    const checks = Object.values(lab.world.state.checkRuns).filter(({ name }) => name === 'ferrybot / launch gate');
    expect(checks).toMatchObject([{ status: 'completed', conclusion: 'success' }]);
    expect(checks[0]?.output?.title).toContain('Ended');
    const [card] = listBotComments(lab).filter(({ kind }) => kind === 'card');
    expect(card?.source).toContain('phase=ended');
    expect(lab.world.state.unserved).toEqual([]);
    await lab.close();
  },
);
