/**
 * What happens to an approval if the approved change, or the approval itself, is modified before the job
 * runs.
 */

import { describe, expect, it } from 'vitest';
import { approve, type Ferry, propose, readEventsOf, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  dispatchLaunch,
  holdJobs,
  listBotComments,
  listBotTexts,
  listLaunchRuns,
  listRepeatedComments,
  MINUTE,
  postComment,
  pushExperiment,
  pushFile,
  readBody,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

/** Requires two approvals, so that the first one orders nothing. */
function twoPeople(config: string): string {
  return config.replace('quorum: 1', 'quorum: 2').replace('permission: maintain', 'permission: write');
}

/** A ferry that has one of its two approvals. */
async function approvedOnce(): Promise<Ferry> {
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoPeople });
  const proposed = await propose(lab);
  const comment = await approve(lab, 'mira', proposed.pull);
  expect(await listAnswerCodes(lab, comment)).toEqual(['approved-waiting-for-more']);
  return { lab, ...proposed };
}

/** A ferry whose order waits for a runner that is offline. */
async function ordered(): Promise<
  Ferry & { readonly approval: number; readonly order: string; readonly letGo: () => void }
> {
  const held = holdJobs('launch');
  const lab = await openVirtualLab({ ferry: SHORT_FERRY, beforeJob: held.beforeJob });
  const proposed = await propose(lab);
  const approval = await approve(lab, 'mira', proposed.pull);
  await until(lab, 'the launch job', () => held.waiting() === 1, { stepMs: 1_000, limitMs: MINUTE });
  const order = (await readState(lab, proposed.run))?.order?.digest ?? '';
  return { lab, ...proposed, approval, order, letGo: held.letGo };
}

/** The runner's refusal in the record. */
async function refusalOf(lab: VirtualLab, run: string): Promise<unknown> {
  const state = await readState(lab, run);
  return state?.incidents.find((incident) => incident.code === 'runner-refused')?.detail['reason'];
}

async function expectNothingRan({ lab, run }: Ferry): Promise<void> {
  await lab.clock.advance(40 * MINUTE);
  expect(lab.engine.startCount()).toBe(0);
  expect((await readState(lab, run))?.submission).toBeNull();
  expect(listRepeatedComments(lab)).toEqual([]);
}

describe('an approval', () => {
  it('is dropped with a notice when the proposal branch is pushed', async () => {
    const ferry = await approvedOnce();
    const { lab, run, pull } = ferry;
    await pushExperiment(lab, run, (text) => text.replace('z_loss_weight=1e-4', 'z_loss_weight=2e-4'));
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.drops.map((drop) => drop.data.reason)).toEqual(['manifest-changed']);
    expect(listBotTexts(lab, 'drop')).toHaveLength(1);
    const second = await postComment(lab, 'ada', pull, '/approve-launch');
    expect(await listAnswerCodes(lab, second)).toEqual(['approval-by-author']);
    await expectNothingRan(ferry);
    await lab.close();
  });

  it('is dropped with a notice when the body of the pull request is edited', async () => {
    const ferry = await approvedOnce();
    const { lab, run, pull } = ferry;
    await lab.as('ada', 'PATCH', `/pulls/${pull}`, { body: `${readBody(lab, pull)}\n\nRisk is fine, trust me.` });
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.drops.map((drop) => drop.data.reason)).toEqual(['manifest-changed']);
    expect(listBotTexts(lab, 'drop')).toEqual([expect.stringContaining('🤖')]);
    await expectNothingRan(ferry);
    await lab.close();
  });

  // threat T104
  it.each([
    { how: 'deleted', method: 'DELETE' },
    { how: 'edited', method: 'PATCH' },
  ])('is dropped with a notice when its comment is $how', async ({ method }) => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, config: twoPeople });
    const ferry = { lab, ...(await propose(lab)) };
    const approval = await approve(lab, 'mira', ferry.pull);
    const change = method === 'PATCH' ? { body: '/approve-launch or not' } : undefined;
    await lab.as('mira', method, `/issues/comments/${approval}`, change);
    await lab.clock.advance(1_000);
    expect((await readState(lab, ferry.run))?.drops.map((drop) => drop.data.reason)).toEqual(['approval-invalid']);
    expect(listBotTexts(lab, 'drop')).toEqual([expect.stringContaining('its comment was edited, hidden or deleted')]);
    await postComment(lab, 'ada', ferry.pull, '/approve-launch');
    expect((await readState(lab, ferry.run))?.order).toBeNull();
    await expectNothingRan(ferry);
    await lab.close();
  });

  it('is kept when a commit changes only files that the job does not ship', async () => {
    const { lab, run, pull } = await approvedOnce();
    await pushFile(lab, 'ada', 'main', 'README.md', '# Our lab\n');
    await lab.clock.advance(MINUTE);
    expect((await readState(lab, run))?.drops).toEqual([]);
    const second = await approve(lab, 'ada', pull);
    expect(await listAnswerCodes(lab, second)).toEqual(['approved']);
    await untilState(lab, run, (state) => state.submission !== null, { stepMs: 5_000 });
    await lab.close();
  });
});

describe('the runner, before it submits an order', () => {
  it.each([
    {
      what: 'the approval was deleted',
      code: 'approval-invalid',
      why: 'is gone',
      change: async ({ lab, approval }: Awaited<ReturnType<typeof ordered>>) => {
        await lab.as('mira', 'DELETE', `/issues/comments/${approval}`);
      },
    },
    {
      what: 'the approval was edited',
      code: 'approval-invalid',
      why: 'was edited',
      change: async ({ lab, approval }: Awaited<ReturnType<typeof ordered>>) => {
        await lab.as('mira', 'PATCH', `/issues/comments/${approval}`, { body: '/approve-launch please' });
      },
    },
    {
      what: 'the approval was hidden',
      code: 'approval-invalid',
      why: 'was hidden',
      change: async ({ lab, approval }: Awaited<ReturnType<typeof ordered>>) => {
        const row = lab.world.state.comments[approval];
        if (row === undefined) throw new Error('no such comment');
        lab.world.state.comments[approval] = { ...row, minimizedReason: 'OUTDATED' };
      },
    },
    {
      what: 'the approver lost the permission',
      code: 'approver-not-permitted',
      why: 'mira',
      change: async ({ lab }: Awaited<ReturnType<typeof ordered>>) => {
        const repo = Object.values(lab.world.state.repos)[0];
        const mira = Object.values(lab.world.state.users).find((user) => user.login === 'mira');
        if (repo === undefined || mira === undefined) throw new Error('the lab is empty');
        const collaborators = { ...repo.collaborators, [mira.id]: 'triage' as const };
        lab.world.state.repos[repo.id] = { ...repo, collaborators };
      },
    },
  ])('refuses with $code when $what', async ({ code, why, change }) => {
    const ferry = await ordered();
    await change(ferry);
    ferry.letGo();
    await ferry.lab.clock.advance(2 * MINUTE);
    expect(await refusalOf(ferry.lab, ferry.run)).toBe(code);
    const [incident, ...others] = listBotTexts(ferry.lab, 'incident');
    expect(others).toEqual([]);
    expect(incident).toContain('The runner refused the order');
    expect(incident).toContain(why);
    await expectNothingRan(ferry);
    expect((await readState(ferry.lab, ferry.run))?.order?.status).toBe('failed');
    await ferry.lab.close();
  });

  it('refuses with manifest-changed if only the runner notices the push', async () => {
    const held = holdJobs('launch');
    const lab = await openVirtualLab({ ferry: SHORT_FERRY, beforeJob: held.beforeJob });
    const proposed = await propose(lab);
    await approve(lab, 'mira', proposed.pull);
    await until(lab, 'the launch job', () => held.waiting() === 1, { stepMs: 1_000, limitMs: MINUTE });
    lab.world.state.settings.drop = 'all';
    await pushExperiment(lab, proposed.run, (text) => text.replace('z_loss_weight=1e-4', 'z_loss_weight=2e-4'));
    held.letGo();
    await lab.clock.advance(1_000);
    expect(await refusalOf(lab, proposed.run)).toBe('manifest-changed');
    await expectNothingRan({ lab, ...proposed });
    await lab.close();
  });
});

describe('use of an order', () => {
  it('fails a replayed order, an unknown order, and a dispatch from another branch', async () => {
    const lab = await openVirtualLab({ ferry: SHORT_FERRY });
    const { run, pull } = await propose(lab);
    await approve(lab, 'mira', pull);
    await untilState(lab, run, (state) => state.submission !== null, { stepMs: 5_000 });
    const order = (await readState(lab, run))?.order?.digest ?? '';
    const events = (await readEventsOf(lab, run)).length;
    await dispatchLaunch(lab, 'mira', { run, order });
    await dispatchLaunch(lab, 'mira', { run, order: `sha256:${'0'.repeat(64)}` });
    await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/mine', sha: await tipOfMain(lab) });
    await dispatchLaunch(lab, 'ada', { run, order }, 'mine');
    await lab.clock.advance(1_000);
    const refused = lab.log.filter((line) => line.startsWith('launch: '));
    // The third never reaches ferrybot: only the default branch may use the environment with the runner's
    // key.
    expect(refused.map((line) => line.split(': ')[1])).toEqual(['order-used', 'order-unknown']);
    expect(listLaunchRuns(lab).map((one) => one.conclusion)).toEqual(['success', 'failure', 'failure', 'failure']);
    expect(lab.engine.startCount()).toBe(1);
    expect((await readEventsOf(lab, run)).slice(events).map((event) => event.role)).not.toContain('runner');
    await lab.close();
  });

  it('answers a second approval by the same person with already-approved, and counts one approval', async () => {
    const { lab, run, pull } = await approvedOnce();
    const again = await approve(lab, 'mira', pull);
    expect(await listAnswerCodes(lab, again)).toEqual(['already-approved']);
    expect((await readState(lab, run))?.approvals).toHaveLength(1);
    expect((await readState(lab, run))?.order).toBeNull();
    expect(listBotComments(lab).filter(({ kind }) => kind === 'answer')).toHaveLength(2);
    await lab.close();
  });
});

async function tipOfMain(lab: VirtualLab): Promise<string> {
  return (await lab.store.refs('refs/heads/main')).get('refs/heads/main') ?? '';
}
