/** Holds on a run, a day, a lane or the repository; revoked approvals; and a run that is given up as lost. */

import { afterEach, describe, expect, it } from 'vitest';
import { approvalLine } from '../support/approve.ts';
import { approveAndFinish, eventsOf, propose, stateOf } from '../support/play.ts';
import { ask, codesOf } from '../support/recorded.ts';
import { botComments, HOUR, heldJobs, MINUTE, SHORT_FERRY, saidTwice, say } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const TWO_PEOPLE = (text: string): string =>
  text.replace('quorum: 1', 'quorum: 2').replace('permission: maintain', 'permission: write');

let lab: VirtualLab;
afterEach(async () => {
  expect(saidTwice(lab)).toEqual([]);
  expect(lab.world.state.unserved).toEqual([]);
  await lab.close();
});

async function proposed(options: Partial<VirtualLabOptions> = {}) {
  lab = await openVirtualLab({ ferry: SHORT_FERRY, ...options });
  return propose(lab);
}

async function openIssue(labels: readonly string[]): Promise<number> {
  const issue = await lab.as('ada', 'POST', '/issues', { title: 'Try cosine', body: 'Why not?', labels });
  return (issue as { number: number }).number;
}

const notHeld = async (run: string) =>
  (await stateOf(lab, run))?.gate?.verdicts.find((verdict) => verdict.gate === 'not-held')?.code;

describe('/hold and /unhold', () => {
  it('drop the approval, block the launch, and allow a new approval afterwards', async () => {
    const { run, pull } = await proposed({ config: TWO_PEOPLE });
    expect(await ask(lab, 'ada', pull, approvalLine(lab))).toBe('approved-waiting-for-more');
    expect(await ask(lab, 'ada', pull, '/hold reason="the tokenizer changes *today*"')).toBe('held');
    expect(await notHeld(run)).toBe('held');
    expect((await stateOf(lab, run))?.approvals).toEqual([]);
    expect(botComments(lab).filter(({ kind }) => kind === 'drop')).toHaveLength(1);
    expect(await ask(lab, 'mira', pull, '/approve-launch')).toBe('approval-gates-blocked');
    expect(await ask(lab, 'ravi', pull, '/unhold')).toBe('not-permitted');
    expect(await ask(lab, 'ada', pull, '/unhold')).toBe('unheld');
    expect(await ask(lab, 'ada', pull, '/unhold')).toBe('unhold-nothing');
    expect(await notHeld(run)).toBe('free');
    expect(await ask(lab, 'ada', pull, approvalLine(lab))).toBe('approved-waiting-for-more');
    expect(await ask(lab, 'mira', pull, approvalLine(lab))).toBe('approved');
    await lab.clock.advance(10 * MINUTE);
    expect((await stateOf(lab, run))?.submission).not.toBeNull();
    expect(await ask(lab, 'ada', pull, '/hold reason="too late"')).toBe('held');
  });
});

describe('/revoke', () => {
  it("revokes the user's own approval; a maintainer revokes all approvals", async () => {
    const { run, pull } = await proposed({ config: TWO_PEOPLE });
    await ask(lab, 'ada', pull, approvalLine(lab));
    expect(await ask(lab, 'ravi', pull, '/revoke')).toBe('revoke-nothing');
    expect(await ask(lab, 'ada', pull, '/revoke')).toBe('revoked');
    expect((await stateOf(lab, run))?.approvals).toEqual([]);
    await ask(lab, 'ada', pull, approvalLine(lab));
    expect(await ask(lab, 'mira', pull, '/revoke')).toBe('revoked');
    expect((await stateOf(lab, run))?.order).toBeNull();
  });
});

describe('/revoke before the launcher runs', () => {
  it('does not block the launch after the same user approved again', async () => {
    const launches = heldJobs('launch');
    const { run, pull } = await proposed({ config: TWO_PEOPLE, beforeJob: launches.beforeJob });
    await ask(lab, 'ada', pull, approvalLine(lab));
    await ask(lab, 'mira', pull, approvalLine(lab));
    expect(await ask(lab, 'mira', pull, '/revoke')).toBe('revoked');
    await ask(lab, 'mira', pull, approvalLine(lab));
    launches.letGo();
    await lab.clock.advance(10 * MINUTE);
    expect((await stateOf(lab, run))?.submission).not.toBeNull();
  });
});

describe('/hold with lane=, date= or scope=repository', () => {
  // threat T122
  it('applies to the run from any experiment issue, and blocks approvals meanwhile', async () => {
    const { run, pull } = await proposed();
    const issue = await openIssue(['experiment']);
    expect(await ask(lab, 'ravi', issue, '/hold lane=daily')).toBe('not-permitted');
    expect(await ask(lab, 'mira', issue, '/hold reason="bad node"')).toBe('held');
    expect(await notHeld(run)).toBe('held');
    expect(await ask(lab, 'mira', pull, '/approve-launch')).toBe('approval-gates-blocked');
    expect(await ask(lab, 'ravi', issue, '/status')).toBe('lane-shown');
    expect(await ask(lab, 'mira', pull, '/unhold')).toBe('unhold-nothing');
    expect(await ask(lab, 'mira', pull, '/unhold lane=daily')).toBe('unheld');
    expect(await ask(lab, 'mira', issue, '/unhold')).toBe('unhold-nothing');
    expect(await notHeld(run)).toBe('free');
    const types = (await eventsOf(lab, 'journal')).map((event) => event.type);
    expect(types.filter((type) => type === 'held' || type === 'released')).toEqual(['held', 'released']);
    await approveAndFinish(lab, run, pull);
  });

  it('drops the approvals of the run, and /unhold does not restore them', async () => {
    const { run, pull } = await proposed({ config: TWO_PEOPLE });
    const issue = await openIssue(['experiment']);
    await ask(lab, 'ada', pull, approvalLine(lab, run));
    expect(await ask(lab, 'mira', issue, '/hold scope=repository')).toBe('held');
    expect((await stateOf(lab, run))?.approvals).toEqual([]);
    expect(await ask(lab, 'mira', issue, '/unhold scope=repository')).toBe('unheld');
    expect((await stateOf(lab, run))?.approvals).toEqual([]);
    expect(await ask(lab, 'mira', pull, approvalLine(lab, run))).toBe('approved-waiting-for-more');
  });

  // threat T103
  it("still counts after the issue's label was removed", async () => {
    const { run } = await proposed({ webhooks: false });
    const issue = await openIssue(['experiment']);
    const hold = await say(lab, 'mira', issue, '/hold lane=daily reason="bad node"');
    await lab.as('ada', 'DELETE', `/issues/${issue}/labels/experiment`);
    await lab.clock.advance(2 * HOUR);
    expect(await codesOf(lab, hold)).toEqual(['held']);
    expect(await notHeld(run)).toBe('held');
    const lift = await say(lab, 'mira', issue, '/unhold lane=daily');
    await lab.clock.advance(2 * HOUR);
    expect(await codesOf(lab, lift)).toEqual(['unheld']);
    expect(await notHeld(run)).toBe('free');
    const other = await openIssue([]);
    expect(await ask(lab, 'mira', other, '/hold')).toBe('');
  });

  it("holds the lane from the thread of a launched run, and keeps that run's approval", async () => {
    const { run, pull } = await proposed();
    await ask(lab, 'mira', pull, approvalLine(lab));
    expect((await stateOf(lab, run))?.submission).not.toBeNull();
    expect(await ask(lab, 'mira', pull, '/hold lane=daily')).toBe('held');
    expect(await ask(lab, 'mira', pull, '/unhold lane=daily')).toBe('unheld');
    expect((await stateOf(lab, run))?.approvals).toHaveLength(1);
  });

  it('is lifted by a /unhold in the same comment', async () => {
    await proposed();
    const issue = await openIssue(['experiment']);
    const lift = '/unhold scope=repository';
    const both = `/hold scope=repository\n\n${lift}\n\n${lift}`;
    expect(await ask(lab, 'mira', issue, both)).toBe('held unheld unhold-nothing');
  });

  it.each(['/hold lane=daily', '/hold scope=repository', '/hold date=2026-11-21'])(
    'stops the runner before its claim if %s is posted in another thread after the order',
    async (brake) => {
      const launches = heldJobs('launch');
      const { run, pull } = await proposed({ beforeJob: launches.beforeJob });
      const issue = await openIssue([]);
      await ask(lab, 'mira', pull, approvalLine(lab));
      expect((await stateOf(lab, run))?.order?.status).toBe('open');
      lab.world.state.settings.drop = 'all';
      await say(lab, 'mira', issue, brake);
      launches.letGo();
      await lab.clock.advance(20 * MINUTE);
      lab.world.state.settings.drop = 'none';
      const state = await stateOf(lab, run);
      expect(state?.submission).toBeNull();
      expect(state?.order?.status).not.toBe('claimed');
    },
  );

  it('holds only the ferry of the given date', async () => {
    const { run, pull } = await proposed();
    expect(await ask(lab, 'ada', pull, '/hold date=2026-11-22')).toBe('held');
    expect(await notHeld(run)).toBe('free');
    expect(await ask(lab, 'ada', pull, '/hold date=2026-11-21')).toBe('held');
    expect(await notHeld(run)).toBe('held');
    expect(await ask(lab, 'ada', pull, '/unhold date=2026-11-21')).toBe('unheld');
    expect(await notHeld(run)).toBe('free');
  });
});

describe('a hold with extra words or without a reason', () => {
  it.each(['/hold', '/hold please, the tokenizer changes', '/hold reason=the tokenizer changes'])(
    'takes effect: %s',
    async (brake) => {
      const { run, pull } = await proposed();
      expect(await ask(lab, 'ada', pull, brake)).toBe('held');
      expect(await notHeld(run)).toBe('held');
    },
  );
});

describe('/ack lost', () => {
  it('closes a run after its runner crashed between claim and submission, and frees the lane', async () => {
    const { run, pull, issue } = await proposed({
      atBoundary: (process, kind, moment) => {
        if (kind === 'submit-job' && moment === 'before') throw new Error(`${process} lost its machine`);
      },
    });
    await ask(lab, 'mira', pull, approvalLine(lab));
    expect((await stateOf(lab, run))?.order?.status).toBe('claimed');
    expect(await ask(lab, 'mira', issue, '/ack lost="the machine is gone"')).toBe('lost-not-lost');
    expect(await ask(lab, 'ada', issue, '/ack lost="the machine is gone"')).toBe('not-permitted');
    await lab.clock.advance(15 * MINUTE);
    expect(await ask(lab, 'mira', issue, '/ack lost="the machine is gone"')).toBe('closed');
    const state = await stateOf(lab, run);
    expect(state?.closed).toMatchObject({ outcome: 'lost', reason: 'the machine is gone' });
    expect(state?.seal).toBeNull();
  });

  it('is refused for a job that the engine still reports', async () => {
    const { pull, issue } = await proposed();
    await ask(lab, 'mira', pull, approvalLine(lab));
    await lab.clock.advance(15 * MINUTE);
    expect(await ask(lab, 'mira', issue, '/ack lost="I do not like it"')).toBe('lost-not-lost');
  });
});
