/** A lab that works issue-first: the ferry is proposed, approved, watched and sealed in its issue, and there is no proposal PR. */

import { describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../src/domain/logbook/event.ts';
import { approve, eventsOf, playFerry, propose, stateOf, until } from '../support/play.ts';
import {
  answersTo,
  bodyOf,
  botComments,
  dispatchLaunch,
  heldJobs,
  pushExperiment,
  SHORT_FERRY,
  saidTwice,
  say,
  told,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;

function issueFirst(config: string): string {
  const changed = config.replace('issueFirst: false', 'issueFirst: true');
  expect(changed).not.toBe(config);
  return changed;
}

function twoPeople(config: string): string {
  return issueFirst(config)
    .replace('quorum: 1', 'quorum: 2')
    .replace('permission: maintain', 'permission: write');
}

function openLab(options: VirtualLabOptions = {}): Promise<VirtualLab> {
  return openVirtualLab({ ferry: SHORT_FERRY, config: issueFirst, ...options });
}

/** Head branches of all pull requests that were ever opened. */
function pullsOf(lab: VirtualLab): readonly string[] {
  return Object.values(lab.world.state.issues).flatMap((issue) =>
    issue.pull === null ? [] : [issue.pull.headRef],
  );
}

function issueOf(
  lab: VirtualLab,
  number: number,
): { readonly state: string; readonly labels: readonly string[] } {
  const found = Object.values(lab.world.state.issues).find((issue) => issue.number === number);
  if (found === undefined) throw new Error(`there is no #${number}`);
  return found;
}

/** A ferry with one standing approval of two. */
async function approvedOnce(): Promise<{
  readonly lab: VirtualLab;
  readonly run: string;
  readonly issue: number;
}> {
  const lab = await openLab({ config: twoPeople });
  const { run, issue } = await propose(lab);
  const comment = await approve(lab, 'mira', issue);
  expect(answersTo(lab, comment)).toEqual([expect.stringContaining('1 of 2 approvals')]);
  return { lab, run, issue };
}

async function dropsOf(lab: VirtualLab, run: string): Promise<readonly string[]> {
  return (await stateOf(lab, run))?.drops.map((drop) => drop.data.reason) ?? [];
}

async function deleteBranch(lab: VirtualLab, run: string): Promise<void> {
  await lab.as('ada', 'DELETE', `/git/refs/heads/ferrybot/proposal/${run}`);
}

describe('a ferry without a proposal PR', () => {
  // rule HR-72
  it.each([{ server: true }, { server: false }])(
    'goes from proposal to seal in one thread (server: $server)',
    async ({ server }) => {
      const lab = await openLab({ server });
      const { run, pull, issue } = await playFerry(lab);
      expect(pull).toBe(issue);
      expect(pullsOf(lab)).toEqual([`ferrybot/closure/${run}`]);
      const state = await stateOf(lab, run);
      expect(state?.seal?.verdict).toBe('pass');
      expect(state?.seal?.commit).toBe(state?.submission?.commit);
      expect(lab.engine.startCount()).toBe(1);
      expect(issueOf(lab, issue)).toMatchObject({ state: 'closed' });
      expect(issueOf(lab, issue).labels).toEqual(
        expect.arrayContaining(['experiment', 'ferry', 'ferry-daily', 'agent-generated']),
      );
      const said = botComments(lab).filter((comment) => comment.run === run);
      expect(new Set(said.map(({ thread }) => thread))).toEqual(new Set([issue]));
      expect(said.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['card', 'launch', 'first-eval', 'ended', 'answer', 'sealed']),
      );
      expect(saidTwice(lab)).toEqual([]);
      expect(lab.world.state.unserved).toEqual([]);
      await lab.close();
    },
  );

  it('says the same with the server, by the sweep alone and by the action alone', async () => {
    const days = [];
    for (const how of [{}, { webhooks: false }, { server: false }]) {
      const lab = await openLab(how);
      const { run } = await playFerry(lab);
      days.push((await eventsOf(lab, run)).filter(isNoLook).map(({ type, role }) => `${role} ${type}`));
      await lab.close();
    }
    expect(days[1]).toEqual(days[0]);
    expect(days[2]).toEqual(days[0]);
  });

  it('carries everything in the issue: facts, table, checklist, and no link twice', async () => {
    const lab = await openLab();
    const { run, issue } = await propose(lab);
    const body = bodyOf(lab, issue);
    expect(body.slice(body.indexOf('\n') + 1)).toMatchSnapshot();
    expect(told(lab, 'card')).toEqual([expect.not.stringContaining(`pull request #${issue}`)]);
    expect(told(lab, 'card')[0]).toContain(`branch \`ferrybot/proposal/${run}\``);
    const gates = (await stateOf(lab, run))?.gate?.verdicts ?? [];
    expect(gates.filter(({ outcome }) => outcome === 'fail' || outcome === 'unknown')).toEqual([]);
    await lab.close();
  });

  it('ticks the outcome boxes in the issue, and keeps what a person wrote there meanwhile', async () => {
    const lab = await openLab();
    const { run, issue } = await propose(lab);
    expect(bodyOf(lab, issue)).toContain('- [ ] human approval');
    await approve(lab, 'mira', issue);
    await until(lab, 'the first look', async () => (await stateOf(lab, run))?.observation !== null, {
      stepMs: 5_000,
    });
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: `${bodyOf(lab, issue)}\nA note.` });
    await lab.clock.advance(15 * MINUTE);
    expect(bodyOf(lab, issue)).toContain('- [x] human approval');
    expect(bodyOf(lab, issue)).toContain('- [x] monitoring loop started');
    expect(bodyOf(lab, issue)).toContain('A note.');
    await lab.close();
  });

  it('answers a day that is proposed already, and a second proposal replaces the first one', async () => {
    const lab = await openLab();
    const { run, issue } = await propose(lab);
    const asked = await say(lab, 'ada', issue, '/propose z_loss_weight=2e-4');
    await lab.clock.advance(5 * MINUTE);
    expect(answersTo(lab, asked)).toEqual([
      expect.stringMatching(/proposed as `ferry-daily-20261121-2`: issue #\d+\./),
    ]);
    expect((await stateOf(lab, run))?.closed?.outcome).toBe('withdrawn');
    expect(issueOf(lab, issue).state).toBe('closed');
    expect(pullsOf(lab)).toEqual([]);
    await lab.close();
  });
});

describe('the gates look at the branch', () => {
  it('and a check that failed on its tip holds the launch back', async () => {
    const lab = await openLab();
    const { run, issue } = await propose(lab);
    const sha = (await stateOf(lab, run))?.gate?.commit ?? '';
    await lab.as('ada', 'POST', `/statuses/${sha}`, { state: 'failure', context: 'the lab: tests' });
    const early = await say(lab, 'mira', issue, '/approve-launch');
    expect(answersTo(lab, early)).toEqual([expect.stringContaining('`checks-green`')]);
    await lab.as('ada', 'POST', `/statuses/${sha}`, { state: 'success', context: 'the lab: tests' });
    await lab.clock.advance(11 * MINUTE);
    await approve(lab, 'mira', issue);
    await until(lab, 'the launch', async () => (await stateOf(lab, run))?.submission !== null, {
      stepMs: 5_000,
    });
    await lab.close();
  });

  it('and the next day names the issue as the last ferry', async () => {
    const lab = await openLab();
    const { issue } = await playFerry(lab);
    await lab.clock.advance(24 * 60 * MINUTE);
    const next = await propose(lab);
    expect(bodyOf(lab, next.issue)).toContain(
      `- Issue: #${issue}\n- Pull request: none, proposed in the issue`,
    );
    const last = (await stateOf(lab, next.run))?.gate?.verdicts.find(
      ({ gate }) => gate === 'last-ferry-linked',
    );
    expect(last?.outcome).toBe('pass');
    await lab.close();
  });
});

describe('an approval in the issue falls', () => {
  it('by a push to the branch', async () => {
    const { lab, run } = await approvedOnce();
    await pushExperiment(lab, run, (text) => text.replace('z_loss_weight=1e-4', 'z_loss_weight=2e-4'));
    await lab.clock.advance(MINUTE);
    expect(await dropsOf(lab, run)).toEqual(['manifest-changed']);
    expect(told(lab, 'drop')).toHaveLength(1);
    await lab.close();
  });

  it('by other words in the issue', async () => {
    const { lab, run, issue } = await approvedOnce();
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: `${bodyOf(lab, issue)}\n\nTrust me.` });
    await lab.clock.advance(MINUTE);
    expect(await dropsOf(lab, run)).toEqual(['body-edited']);
    expect(told(lab, 'drop')).toEqual([expect.stringContaining("the issue's text was edited")]);
    const again = await say(lab, 'ada', issue, '/approve-launch');
    expect(answersTo(lab, again)).toEqual([expect.stringContaining('not approved')]);
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });

  it('and whoever edited the issue may not approve it', async () => {
    const lab = await openLab({
      config: (text) => issueFirst(text).replace('permission: maintain', 'permission: write'),
    });
    const { issue } = await propose(lab);
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: `${bodyOf(lab, issue)}\n\nA word.` });
    await lab.clock.advance(10 * MINUTE);
    const own = await say(lab, 'ada', issue, '/approve-launch');
    await lab.clock.advance(MINUTE);
    expect(answersTo(lab, own)).toEqual([expect.stringContaining('not approved')]);
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });
});

describe('the runner reads issue and branch again', () => {
  it.each([
    {
      what: 'the branch moved',
      reason: 'head-moved',
      change: (lab: VirtualLab, run: string) =>
        pushExperiment(lab, run, (text) => text.replace('z_loss_weight=1e-4', 'z_loss_weight=2e-4')),
    },
    {
      what: 'the issue was edited',
      reason: 'body-edited',
      change: async (lab: VirtualLab, _run: string, issue: number) => {
        await lab.as('ada', 'PATCH', `/issues/${issue}`, { body: `${bodyOf(lab, issue)}\n\nMore.` });
      },
    },
    {
      what: 'the issue was closed',
      reason: 'pull-closed',
      change: async (lab: VirtualLab, _run: string, issue: number) => {
        await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
      },
    },
    { what: 'the branch is gone', reason: 'unreadable', change: deleteBranch },
  ])('and refuses when $what', async ({ reason, change }) => {
    const held = heldJobs('launch');
    // Nobody tells control in time: the runner is alone with what it reads.
    const lab = await openLab({ webhooks: false, beforeJob: held.beforeJob });
    const { run, issue } = await propose(lab);
    await approve(lab, 'mira', issue);
    await until(lab, 'the launch job', () => held.waiting() === 1, { stepMs: 1_000 });
    await change(lab, run, issue);
    held.letGo();
    await lab.clock.advance(5_000);
    expect(lab.log.join('\n')).toContain(`launch: ${reason}`);
    await lab.clock.advance(40 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect((await stateOf(lab, run))?.submission).toBeNull();
    await lab.close();
  });
});

describe('a proposal in an issue is withdrawn', () => {
  it('by closing the issue, and the next one may be made', async () => {
    const lab = await openLab();
    const { run, issue } = await propose(lab);
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await lab.clock.advance(MINUTE);
    expect((await stateOf(lab, run))?.closed).toMatchObject({
      outcome: 'withdrawn',
      reason: 'the issue was closed before a launch',
    });
    await propose(lab, `${run}-2`);
    await lab.close();
  });

  it('also where the branch was deleted before', async () => {
    const lab = await openLab();
    const { run, issue } = await propose(lab);
    await deleteBranch(lab, run);
    await lab.clock.advance(MINUTE);
    expect((await stateOf(lab, run))?.closed).toBeNull();
    await lab.as('ada', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await lab.clock.advance(MINUTE);
    expect((await stateOf(lab, run))?.closed?.outcome).toBe('withdrawn');
    await lab.close();
  });

  it('and a deleted branch launches nothing, whoever approves', async () => {
    const { lab, run, issue } = await approvedOnce();
    await deleteBranch(lab, run);
    const approval = await say(lab, 'ada', issue, '/approve-launch');
    expect(answersTo(lab, approval)).toEqual([expect.stringContaining('not approved')]);
    const why = await say(lab, 'ada', issue, '/why');
    expect(answersTo(lab, why)).toEqual([expect.stringContaining('is not there')]);
    const order = (await stateOf(lab, run))?.order?.digest ?? '0'.repeat(64);
    await dispatchLaunch(lab, 'mira', { run, order });
    await lab.clock.advance(40 * MINUTE);
    expect((await stateOf(lab, run))?.order).toBeNull();
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });
});

/** How often the watch looks depends on when it began. */
function isNoLook({ type }: LogbookEvent): boolean {
  return type !== 'observed';
}
