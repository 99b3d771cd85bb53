/**
 * Each way to launch without an approval, tried on the real bundle: the runner refuses and nothing starts.
 */

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import { verifyLogbook } from '../../src/logbook/verify.ts';
import { pythonOfVersion } from '../support/python-of-version.ts';
import { type Forgery, forgedOrder, logbookLines, orderOn, push, pushLogbook } from './attacks.ts';
import { type BundleLab, openBundleLab } from './bundle-lab.ts';
import { stateIn } from './bundle-world.ts';

let lab: BundleLab;
let folder: string;
/** If this file exists, the lane's Python reports version 3.99. */
let upgraded: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-refusals-'));
  upgraded = join(folder, 'upgraded');
  const python = await pythonOfVersion(folder, [3, 99], upgraded);
  lab = await openBundleLab({ config: [['python: python3', `python: ${python}`]] });
});
afterEach(async () => {
  const started = (await readdir(lab.jobs).catch(nothingThere)).filter((name) => name.startsWith('ferrybot-'));
  expect(started, 'a job was started').toEqual([]);
  await lab.rewind();
});
afterAll(async () => {
  await lab.close();
  await rm(folder, { recursive: true, force: true });
});

/** Without a folder of jobs, no job was ever started. */
function nothingThere(error: unknown): readonly string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
  throw error;
}

describe('an order that a writer appends to the logbook', () => {
  // threat T1
  it.each([
    ['without a signature', 'signature', { key: 'own', sig: `${'A'.repeat(86)}==` }],
    ['signed with another key', 'signature', { key: 'own' }],
    ['signed with an unlisted key under its own name', 'signature', { key: 'own', keyId: 'mine' }],
    ["signed with the watch's key in control's name", 'signature', { key: 'watch' }],
    ["signed with the watch's key in the watch's name", 'role', { key: 'watch', role: 'watch', keyId: 'watch-demo' }],
    ['signed by control itself (so that this test can fail)', null, { key: 'control' }],
  ] as const satisfies readonly (readonly [string, string | null, Forgery])[])(
    '%s verifies as %s',
    async (_, reason, forgery) => {
      const text = `${[...(await logbookLines(lab)), await forgedOrder(lab, forgery)].join('\n')}\n`;
      const keys = (['control', 'runner', 'watch'] as const).map((role) => ({
        id: `${role}-demo`,
        role,
        public: lab.keys.roles[role].public,
        from: '2020-01-01T00:00:00Z',
        until: '2040-01-01T00:00:00Z',
      }));
      const verified = verifyLogbook({
        text,
        run: lab.run,
        keys,
        anchor: null,
        undecodableLine: null,
        hash: sha256Hex,
        verifySignature: verifyEd25519,
      });
      expect(verified.badEntry?.reason === 'unanchored' ? null : (verified.badEntry?.reason ?? null)).toBe(reason);
    },
  );

  // threat T2
  it.each([{ key: 'own' }, { key: 'watch', role: 'watch', keyId: 'watch-demo' }] as const)(
    'is not executed: %o',
    async (forgery) => {
      await pushLogbook(lab, lab.run, [...(await logbookLines(lab)), await forgedOrder(lab, forgery)]);
      expect(await lab.launch()).toContain('order-unknown');
    },
    60_000,
  );

  // threat T3
  it("is not executed if it is a copy of another run's record", async () => {
    const other = 'ferry-daily-20200101';
    await pushLogbook(lab, other, await logbookLines(lab));
    expect(await lab.launch({ run: other, order: lab.order })).toContain('order-unknown');
  });
});

describe('an order', () => {
  // threat T149
  it('is not executed for a workflow of a branch, with or without the environment', async () => {
    const workflow = (await lab.git('show', `main:${LAUNCH}`)).replace(
      'workflow_dispatch:\n',
      'push:\n    branches: [mine]\n  workflow_dispatch:\n',
    );
    const bare = workflow
      .replace(/^ {4}environment:.*\n/m, '')
      .replaceAll('${{ inputs.run }}', lab.run)
      .replaceAll('${{ inputs.order }}', lab.order);
    await push(lab, 'mine', { files: { [LAUNCH]: workflow } });
    await lab.runJobs();
    expect(launchConclusions()).toEqual(['cancelled', 'failure']);
    await push(lab, 'mine', { files: { [LAUNCH]: bare } });
    expect(await lab.runJobs()).toContain('wrong-origin');
  });
});

it('a launcher with another Python minor version than in the manifest launches nothing', async () => {
  await writeFile(upgraded, '');
  const printed = await lab.launch();
  await rm(upgraded);
  expect(printed).toMatch(
    /ferrybot: unreadable: this runner has Python 3\.99, and 3\.\d+ read the approved experiment: set `python` of the lane/,
  );
  expect((await stateIn(lab))?.order).toMatchObject({ status: 'open', claim: null });
});

describe('the pull request', () => {
  // threat T24
  it('is refused if its head moved', async () => {
    await push(lab, branch(), { files: { 'experiments/ferries/daily.py': '# nothing left\n' } });
    expect(await lab.launch()).toContain('manifest-changed');
  });

  // threat T27
  it('is refused if its head moved and was reset, because the approval was dropped', async () => {
    const before = await lab.git('rev-parse', branch());
    await push(lab, branch(), { files: { 'experiments/ferries/daily.py': '# nothing left\n' } });
    await lab.sweep();
    await push(lab, branch(), { back: before });
    expect(await lab.launch()).toContain('order-void');
  });

  // threat T30
  it('is refused if its branch was deleted', async () => {
    await lab.as('ada', 'DELETE', `/git/refs/heads/${branch()}`);
    expect(await lab.launch()).toMatch(/pull-closed|unreadable|manifest-changed/);
  });

  // threat T28
  it.each([
    ['was closed', 'pull-closed', { state: 'closed' }],
    ['targets another branch', 'manifest-changed', { base: 'release' }],
    ['has another description', 'manifest-changed', { body: 'Trust me.' }],
  ])(
    'that %s is refused with %s',
    async (_, code, change) => {
      await lab.git('branch', 'release', 'main');
      await lab.as('ada', 'PATCH', `/pulls/${lab.pull}`, change);
      expect(await lab.launch()).toContain(code);
    },
    60_000,
  );

  // threat T31
  it('is refused if it comes from a fork', async () => {
    const { issues, repos } = lab.world.state;
    const [key = '', issue] = Object.entries(issues).find(([, one]) => one.number === lab.pull) ?? [];
    const repo = Object.values(repos)[0];
    if (issue === undefined || issue.pull === null || repo === undefined) throw new Error('no pull request');
    const fork = { ...repo, id: 9_999, owner: 'sol' };
    repos[fork.id] = fork;
    issues[key] = { ...issue, pull: { ...issue.pull, headRepoId: fork.id } };
    expect(await lab.launch()).toContain('ferrybot: fork: sol/');
  });
});

describe('the approval', () => {
  // threat T99
  it.each([
    ['edited', 'was edited', () => lab.as('mira', 'PATCH', comment(), { body: '/approve-launch now' })],
    ['deleted', 'is gone', () => lab.as('mira', 'DELETE', comment())],
  ])(
    'that was %s is refused, because the comment %s',
    async (_, why, change) => {
      await change();
      expect(await lab.launch()).toContain(`approval-invalid: comment ${lab.approval} ${why}`);
    },
    60_000,
  );

  it('that was hidden is refused', async () => {
    const row = lab.world.state.comments[lab.approval];
    if (row === undefined) throw new Error('no comment');
    lab.world.state.comments[lab.approval] = { ...row, minimizedReason: 'spam' };
    expect(await lab.launch()).toContain(`approval-invalid: comment ${lab.approval} was hidden`);
  });

  // threat T100
  it('is refused if its author may no longer approve', async () => {
    const repo = Object.values(lab.world.state.repos)[0];
    const mira = Object.values(lab.world.state.users).find((user) => user.login === 'mira');
    if (repo === undefined || mira === undefined) throw new Error('the lab is empty');
    const collaborators = { ...repo.collaborators, [mira.id]: 'triage' as const };
    lab.world.state.repos[repo.id] = { ...repo, collaborators };
    expect(await lab.launch()).toContain('approver-not-permitted');
  });
});

describe('an order written with the stolen control key', () => {
  const NOT_GIVEN = /approval-invalid: comment \d+ does not approve this digest/;
  const hex = async (): Promise<string> => (await stateIn(lab))?.gate?.digest?.slice(7) ?? '';
  /** Mira's comment, and an order that cites it. */
  const onComment = async (body: string, thread = lab.pull): Promise<string> => {
    const said = await lab.as('mira', 'POST', `/issues/${thread}/comments`, { body });
    const { id } = said as { readonly id: number };
    const order = await orderOn(lab, { id, body, thread, surface: 'comment' });
    return lab.launch({ run: lab.run, order });
  };

  // threat T160
  it('launches nothing for a bare /approve-launch', async () => {
    expect(await onComment('/approve-launch')).toMatch(NOT_GIVEN);
  });

  // threat T161
  it('launches nothing for an approval with only twelve digits', async () => {
    expect(await onComment(`/approve-launch ${(await hex()).slice(0, 12)}`)).toMatch(NOT_GIVEN);
  });

  // threat T162
  it('launches nothing for an approval of another manifest', async () => {
    expect(await onComment(`/approve-launch ${'3f9a1c22b0d4e5f6'.repeat(2)}`)).toMatch(NOT_GIVEN);
  });

  // threat T163
  it('launches nothing for an approval in another thread', async () => {
    const issue = await lab.as('mira', 'POST', '/issues', { title: 'Another', body: '' });
    const { number } = issue as { readonly number: number };
    const line = `/approve-launch ${(await hex()).slice(0, 32)}`;
    expect(await onComment(line, number)).toMatch(new RegExp(`approval-invalid: comment \\d+ is in #${number}`));
  });

  // threat T102
  it('launches nothing for a review of an older commit', async () => {
    const body = `/approve-launch ${(await hex()).slice(0, 32)}`;
    const said = await lab.as('mira', 'POST', `/pulls/${lab.pull}/reviews`, { event: 'COMMENT', body });
    const { id } = said as { readonly id: number };
    const row = lab.world.state.reviews[id];
    if (row === undefined) throw new Error('no review');
    lab.world.state.reviews[id] = { ...row, commitSha: await lab.git('rev-parse', 'main') };
    const order = await orderOn(lab, { id, body, thread: lab.pull, surface: 'review' });
    expect(await lab.launch({ run: lab.run, order })).toMatch(
      /approval-invalid: review \d+ was written on [0-9a-f]{40}/,
    );
  });
});

it('a deleted logbook orders nothing', async () => {
  await lab.git('update-ref', '-d', 'refs/heads/ferrybot/logbook');
  expect(await lab.launch()).toContain('order-unknown');
});

// threat T154
// The clock only moves forward, so this test is the last one.
it('an expired order is refused', async () => {
  lab.clock.advance(2 * 60 * 60_000);
  expect(await lab.launch()).toContain('order-expired');
});

const LAUNCH = '.github/workflows/ferrybot-launch.yml';
const branch = (): string => `ferrybot/proposal/${lab.run}`;
const comment = (): string => `/issues/comments/${lab.approval}`;

function launchRuns(): readonly { readonly id: number; readonly conclusion: string | null }[] {
  return Object.values(lab.world.state.runs).filter((run) => run.path.endsWith('ferrybot-launch.yml'));
}

function launchConclusions(): readonly (string | null)[] {
  return launchRuns().map((run) => run.conclusion);
}
