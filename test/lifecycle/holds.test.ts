/** Holds on a run, a day, a lane or the repository; revoked approvals; and a run that is given up as lost. */

import { afterEach, describe, expect, it } from 'vitest';
import { requireApprovalLine } from '../support/approve.ts';
import { approveAndFinish, propose, readEventsOf, readState } from '../support/play.ts';
import { commentAndReadCode, listAnswerCodes } from '../support/recorded.ts';
import {
  HOUR,
  holdJobs,
  listBotComments,
  listRepeatedComments,
  MINUTE,
  postComment,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const TWO_PEOPLE = (text: string): string =>
  text.replace('quorum: 1', 'quorum: 2').replace('permission: maintain', 'permission: write');

let lab: VirtualLab;
afterEach(async () => {
  expect(listRepeatedComments(lab)).toEqual([]);
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
  (await readState(lab, run))?.gate?.verdicts.find((verdict) => verdict.gate === 'not-held')?.code;

describe('/hold and /unhold', () => {
  it('drop the approval, block the launch, and allow a new approval afterwards', async () => {
    const { run, pull } = await proposed({ config: TWO_PEOPLE });
    expect(await commentAndReadCode(lab, 'ada', pull, requireApprovalLine(lab))).toBe('approved-waiting-for-more');
    expect(await commentAndReadCode(lab, 'ada', pull, '/hold reason="the tokenizer changes *today*"')).toBe('held');
    expect(await notHeld(run)).toBe('held');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    expect(listBotComments(lab).filter(({ kind }) => kind === 'drop')).toHaveLength(1);
    expect(await commentAndReadCode(lab, 'mira', pull, '/approve-launch')).toBe('approval-gates-blocked');
    expect(await commentAndReadCode(lab, 'ravi', pull, '/unhold')).toBe('not-permitted');
    expect(await commentAndReadCode(lab, 'ada', pull, '/unhold')).toBe('unheld');
    expect(await commentAndReadCode(lab, 'ada', pull, '/unhold')).toBe('unhold-nothing');
    expect(await notHeld(run)).toBe('free');
    expect(await commentAndReadCode(lab, 'ada', pull, requireApprovalLine(lab))).toBe('approved-waiting-for-more');
    expect(await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab))).toBe('approved');
    await lab.clock.advance(10 * MINUTE);
    expect((await readState(lab, run))?.submission).not.toBeNull();
    expect(await commentAndReadCode(lab, 'ada', pull, '/hold reason="too late"')).toBe('held');
  });
});

describe('/revoke', () => {
  it("revokes the user's own approval; a maintainer revokes all approvals", async () => {
    const { run, pull } = await proposed({ config: TWO_PEOPLE });
    await commentAndReadCode(lab, 'ada', pull, requireApprovalLine(lab));
    expect(await commentAndReadCode(lab, 'ravi', pull, '/revoke')).toBe('revoke-nothing');
    expect(await commentAndReadCode(lab, 'ada', pull, '/revoke')).toBe('revoked');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    await commentAndReadCode(lab, 'ada', pull, requireApprovalLine(lab));
    expect(await commentAndReadCode(lab, 'mira', pull, '/revoke')).toBe('revoked');
    expect((await readState(lab, run))?.order).toBeNull();
  });
});

describe('/revoke before the launcher runs', () => {
  it('does not block the launch after the same user approved again', async () => {
    const launches = holdJobs('launch');
    const { run, pull } = await proposed({ config: TWO_PEOPLE, beforeJob: launches.beforeJob });
    await commentAndReadCode(lab, 'ada', pull, requireApprovalLine(lab));
    await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab));
    expect(await commentAndReadCode(lab, 'mira', pull, '/revoke')).toBe('revoked');
    await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab));
    launches.letGo();
    await lab.clock.advance(10 * MINUTE);
    expect((await readState(lab, run))?.submission).not.toBeNull();
  });
});

describe('/hold with lane=, date= or scope=repository', () => {
  // threat T122
  it('applies to the run from any experiment issue, and blocks approvals meanwhile', async () => {
    const { run, pull } = await proposed();
    const issue = await openIssue(['experiment']);
    expect(await commentAndReadCode(lab, 'ravi', issue, '/hold lane=daily')).toBe('not-permitted');
    expect(await commentAndReadCode(lab, 'mira', issue, '/hold reason="bad node"')).toBe('held');
    expect(await notHeld(run)).toBe('held');
    expect(await commentAndReadCode(lab, 'mira', pull, '/approve-launch')).toBe('approval-gates-blocked');
    expect(await commentAndReadCode(lab, 'ravi', issue, '/status')).toBe('lane-shown');
    expect(await commentAndReadCode(lab, 'mira', pull, '/unhold')).toBe('unhold-nothing');
    expect(await commentAndReadCode(lab, 'mira', pull, '/unhold lane=daily')).toBe('unheld');
    expect(await commentAndReadCode(lab, 'mira', issue, '/unhold')).toBe('unhold-nothing');
    expect(await notHeld(run)).toBe('free');
    const types = (await readEventsOf(lab, 'journal')).map((event) => event.type);
    expect(types.filter((type) => type === 'held' || type === 'released')).toEqual(['held', 'released']);
    await approveAndFinish(lab, run, pull);
  });

  it('drops the approvals of the run, and /unhold does not restore them', async () => {
    const { run, pull } = await proposed({ config: TWO_PEOPLE });
    const issue = await openIssue(['experiment']);
    await commentAndReadCode(lab, 'ada', pull, requireApprovalLine(lab, run));
    expect(await commentAndReadCode(lab, 'mira', issue, '/hold scope=repository')).toBe('held');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    expect(await commentAndReadCode(lab, 'mira', issue, '/unhold scope=repository')).toBe('unheld');
    expect((await readState(lab, run))?.approvals).toEqual([]);
    expect(await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab, run))).toBe(
      'approved-waiting-for-more',
    );
  });

  // threat T103
  it("still counts after the issue's label was removed", async () => {
    const { run } = await proposed({ webhooks: false });
    const issue = await openIssue(['experiment']);
    const hold = await postComment(lab, 'mira', issue, '/hold lane=daily reason="bad node"');
    await lab.as('ada', 'DELETE', `/issues/${issue}/labels/experiment`);
    await lab.clock.advance(2 * HOUR);
    expect(await listAnswerCodes(lab, hold)).toEqual(['held']);
    expect(await notHeld(run)).toBe('held');
    const lift = await postComment(lab, 'mira', issue, '/unhold lane=daily');
    await lab.clock.advance(2 * HOUR);
    expect(await listAnswerCodes(lab, lift)).toEqual(['unheld']);
    expect(await notHeld(run)).toBe('free');
    const other = await openIssue([]);
    expect(await commentAndReadCode(lab, 'mira', other, '/hold')).toBe('');
  });

  it("holds the lane from the thread of a launched run, and keeps that run's approval", async () => {
    const { run, pull } = await proposed();
    await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab));
    expect((await readState(lab, run))?.submission).not.toBeNull();
    expect(await commentAndReadCode(lab, 'mira', pull, '/hold lane=daily')).toBe('held');
    expect(await commentAndReadCode(lab, 'mira', pull, '/unhold lane=daily')).toBe('unheld');
    expect((await readState(lab, run))?.approvals).toHaveLength(1);
  });

  it('is lifted by a /unhold in the same comment', async () => {
    await proposed();
    const issue = await openIssue(['experiment']);
    const lift = '/unhold scope=repository';
    const both = `/hold scope=repository\n\n${lift}\n\n${lift}`;
    expect(await commentAndReadCode(lab, 'mira', issue, both)).toBe('held unheld unhold-nothing');
  });

  it.each(['/hold lane=daily', '/hold scope=repository', '/hold date=2026-11-21'])(
    'stops the runner before its claim if %s is posted in another thread after the order',
    async (brake) => {
      const launches = holdJobs('launch');
      const { run, pull } = await proposed({ beforeJob: launches.beforeJob });
      const issue = await openIssue([]);
      await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab));
      expect((await readState(lab, run))?.order?.status).toBe('open');
      lab.world.state.settings.drop = 'all';
      await postComment(lab, 'mira', issue, brake);
      launches.letGo();
      await lab.clock.advance(20 * MINUTE);
      lab.world.state.settings.drop = 'none';
      const state = await readState(lab, run);
      expect(state?.submission).toBeNull();
      expect(state?.order?.status).not.toBe('claimed');
    },
  );

  it('holds only the ferry of the given date', async () => {
    const { run, pull } = await proposed();
    expect(await commentAndReadCode(lab, 'ada', pull, '/hold date=2026-11-22')).toBe('held');
    expect(await notHeld(run)).toBe('free');
    expect(await commentAndReadCode(lab, 'ada', pull, '/hold date=2026-11-21')).toBe('held');
    expect(await notHeld(run)).toBe('held');
    expect(await commentAndReadCode(lab, 'ada', pull, '/unhold date=2026-11-21')).toBe('unheld');
    expect(await notHeld(run)).toBe('free');
  });
});

describe('a hold with extra words or without a reason', () => {
  it.each(['/hold', '/hold please, the tokenizer changes', '/hold reason=the tokenizer changes'])(
    'takes effect: %s',
    async (brake) => {
      const { run, pull } = await proposed();
      expect(await commentAndReadCode(lab, 'ada', pull, brake)).toBe('held');
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
    await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab));
    expect((await readState(lab, run))?.order?.status).toBe('claimed');
    expect(await commentAndReadCode(lab, 'mira', issue, '/ack lost="the machine is gone"')).toBe('lost-not-lost');
    expect(await commentAndReadCode(lab, 'ada', issue, '/ack lost="the machine is gone"')).toBe('not-permitted');
    await lab.clock.advance(15 * MINUTE);
    expect(await commentAndReadCode(lab, 'mira', issue, '/ack lost="the machine is gone"')).toBe('closed');
    const state = await readState(lab, run);
    expect(state?.closed).toMatchObject({ outcome: 'lost', reason: 'the machine is gone' });
    expect(state?.seal).toBeNull();
  });

  it('is refused for a job that the engine still reports', async () => {
    const { pull, issue } = await proposed();
    await commentAndReadCode(lab, 'mira', pull, requireApprovalLine(lab));
    await lab.clock.advance(15 * MINUTE);
    expect(await commentAndReadCode(lab, 'mira', issue, '/ack lost="I do not like it"')).toBe('lost-not-lost');
  });
});
