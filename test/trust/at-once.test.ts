/** Concurrent commands and partial failures of GitHub, on virtual time with the real code of both sides. */

import { describe, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { approve, propose, readEventsOf, readState, until } from '../support/play.ts';
import { holdJobs, listBotTexts, listRepeatedComments, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const two = (config: string): string =>
  config.replace('quorum: 1', 'quorum: 2').replace('permission: maintain', 'permission: write');

async function opened(options: VirtualLabOptions = {}) {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  return { lab, ...(await propose(lab)) };
}

describe('concurrent commands', () => {
  it('make one order and one launch of two simultaneous approvals', async () => {
    const { lab, run, pull } = await opened({ config: two, servers: 2 });
    const line = requireApprovalLine(lab);
    await Promise.all([postComment(lab, 'mira', pull, line), postComment(lab, 'ada', pull, line)]);
    await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null, {
      stepMs: 5_000,
      limitMs: 60 * MINUTE,
    });
    const events = await readEventsOf(lab, run);
    expect(events.filter((event) => event.type === 'approved')).toHaveLength(2);
    expect(events.filter((event) => event.type === 'ordered')).toHaveLength(1);
    expect(lab.engine.startCount()).toBe(1);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('start nothing after the stop is recorded if an approval and a stop arrive together', async () => {
    const { lab, run, pull } = await opened();
    await Promise.all([
      postComment(lab, 'mira', pull, requireApprovalLine(lab)),
      postComment(lab, 'ada', pull, '/stop'),
    ]);
    await lab.clock.advance(10 * MINUTE);
    const state = await readState(lab, run);
    expect(state?.stop).not.toBeNull();
    expect(state?.submission).toBeNull();
    expect(lab.engine.startCount()).toBe(0);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });
});

describe('a runner', () => {
  // threat T159
  it('that cannot read the approval starts nothing, posts one incident, and launches once it can read it', async () => {
    const held = holdJobs('launch');
    let isAway = false;
    const { lab, run, pull } = await opened({
      beforeJob: held.beforeJob,
      network: (request, github) =>
        isAway && /\/issues\/comments\/\d+$|\/graphql$/.test(new URL(request.url).pathname)
          ? Promise.resolve(Response.json({ message: 'Server Error' }, { status: 502 }))
          : github(request),
    });
    await approve(lab, 'mira', pull);
    await until(lab, 'the launch job', () => held.waiting() === 1, { stepMs: 1_000, limitMs: MINUTE });
    isAway = true;
    held.letGo();
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.incidents.map((incident) => incident.code)).toEqual(['launch-unreadable']);
    expect((await readState(lab, run))?.order?.status).toBe('open');
    expect(lab.engine.startCount()).toBe(0);
    isAway = false;
    await until(lab, 'the launch', async () => (await readState(lab, run))?.submission !== null, {
      stepMs: 10_000,
      limitMs: 60 * MINUTE,
    });
    expect(listBotTexts(lab, 'incident')).toEqual([expect.stringContaining('could not check the order')]);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });
});
