/**
 * Attacks with a stolen key or write permission on a run after a failed attempt, or on a user's own pull
 * request.
 */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { filterIncidents } from '../../src/domain/incidents.ts';
import { forge, type Pushing } from '../campaign/forging.ts';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
import {
  addLabels,
  branchOff,
  commentAndReadAnswer,
  FILE,
  listOpenGates,
  markReady,
  openLab,
  openOwnPull,
  ownRunName,
  readGates,
} from '../support/own-pull.ts';
import { approve, type Ferry, propose, readState, until, untilState } from '../support/play.ts';
import { endedData } from '../support/run-drafts.ts';
import { holdJobs, MINUTE, postComment, pushFile, readBranchFile, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

const LIBRARY = 'lib/smalllab/optimizer.py';

// threat T181
it('a forged failure of a running job, signed with the stolen watch key, allows no second attempt', async () => {
  const { lab, run, pull, issue } = await withForgedFailure();
  const branch = `ferrybot/proposal/${run}`;
  await pushFile(lab, 'ada', branch, LIBRARY, `${(await readBranchFile(lab, branch, LIBRARY)) ?? ''}# mended\n`);
  await postComment(lab, 'ada', issue, 'Mended on the branch.');
  await lab.clock.advance(2 * MINUTE);
  await approve(lab, 'mira', pull, run);
  await lab.clock.advance(20 * MINUTE);
  expect(lab.engine.startCount()).toBe(1);
  expect(await refusalsOf(lab, run)).toEqual(['attempt-live', 'manifest-changed']);
  await lab.close();
});

// threat T182
it('a forged failure of a running job allows no next ferry in its lane, even after an approval', async () => {
  const { lab, run, issue } = await withForgedFailure();
  await postComment(lab, 'mira', issue, '/ack reject="too short to tell"');
  const next = await propose(lab, `${run}-2`);
  await approve(lab, 'mira', next.pull, next.run);
  await lab.clock.advance(20 * MINUTE);
  expect(lab.engine.startCount()).toBe(1);
  expect(await refusalsOf(lab, next.run)).toEqual(['attempt-live']);
  await lab.close();
});

/** A ferry with a job that runs for days while the record claims that it failed. */
async function withForgedFailure(): Promise<Ferry> {
  const lab = await openVirtualLab({ ferry: { ...SHORT_FERRY, durationMs: 60 * 60 * MINUTE } });
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await untilState(lab, proposed.run, (state) => state.observation?.firstStepCompleted === true);
  const state = await readState(lab, proposed.run);
  if (state === null) throw new Error('no run');
  const pushing: Pushing = {
    lab,
    deeds: [],
    ask: async (_, method, path, body) => ({ status: 200, json: await lab.as('ada', method, path, body) }),
  };
  const data = { ...endedData(state), status: 'FAILED', signatures: [], fence: state.fence + 1 } as const;
  expect(await forge(pushing, proposed.run, [{ type: 'ended', role: 'watch', data }])).toBe(true);
  await lab.clock.advance(2 * MINUTE);
  return { lab, ...proposed };
}

type Act = (lab: VirtualLab, pull: number) => Promise<unknown>;

async function mainOf(lab: VirtualLab): Promise<string | undefined> {
  return (await lab.store.refs('refs/heads/main')).get('refs/heads/main');
}

const MOVES: readonly (readonly [string, string, Act])[] = [
  ['turned into a draft', 'gate-fails', draft],
  ['turned into a draft without a webhook', 'target-branch', async (lab, pull) => turn(lab, pull)],
  ['retargeted', 'gate-fails', (lab, pull) => lab.as('ada', 'PATCH', `/pulls/${pull}`, { base: 'release' })],
  ['closed without a webhook', 'pull-closed', async (lab, pull) => shut(lab, pull)],
  ['left without its branch', 'gate-fails', (lab) => lab.as('ada', 'DELETE', '/git/refs/heads/ada/warmup')],
  [
    'force-pushed',
    'manifest-changed',
    async (lab) => lab.as('ada', 'PATCH', '/git/refs/heads/ada/warmup', { sha: await mainOf(lab), force: true }),
  ],
];

// threat T44
it.each(MOVES)(
  "does not launch a user's own pull request that is %s between order and launch: %s",
  async (_, code, act) => {
    const held = holdJobs('launch');
    const lab = await openLab({ beforeJob: held.beforeJob });
    await branchOff(lab, 'ada', 'release');
    const pull = await openOwnPull(lab);
    await addLabels(lab, 'ada', pull);
    await readGates(lab, ownRunName(pull));
    await approve(lab, 'mira', pull, ownRunName(pull));
    await until(lab, 'the launcher', () => held.waiting() > 0, { stepMs: 5_000 });
    await act(lab, pull);
    await lab.clock.advance(MINUTE);
    held.letGo();
    await lab.clock.advance(20 * MINUTE);
    expect(await refusalsOf(lab, ownRunName(pull))).toEqual([code]);
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  },
);

it('a draft pull request can be approved only once it is ready for review', async () => {
  const lab = await openLab();
  const pull = await openOwnPull(lab);
  await addLabels(lab, 'ada', pull);
  await readGates(lab, ownRunName(pull));
  await until(lab, 'the card', () => findShownApprovalLine(lab) !== null);
  const line = requireApprovalLine(lab);
  await draft(lab, pull);
  await lab.clock.advance(2 * MINUTE);
  expect(listOpenGates(await readGates(lab, ownRunName(pull)))).toEqual(['target-branch draft']);
  expect(await commentAndReadAnswer(lab, 'mira', pull, line)).toContain('not approved');
  await markReady(lab, pull);
  await lab.clock.advance(2 * MINUTE);
  expect(listOpenGates(await readGates(lab, ownRunName(pull)))).toEqual([]);
  await lab.close();
});

// threat T45
it("a user's pull request is taken up despite a flood of labelled ones that cannot be", async () => {
  const lab = await openLab();
  const { pull: daily } = await propose(lab);
  const flood = Array.from({ length: 21 }, (__, index) => `x/${index}`);
  for (const branch of flood) await addLabels(lab, 'ada', await openOwnPull(lab, { branch }));
  // Moves each one to a commit without common history.
  const object = async (kind: string, data: object): Promise<string> =>
    z.object({ sha: z.string() }).parse(await lab.as('ada', 'POST', `/git/${kind}`, data)).sha;
  const blob = { path: FILE, mode: '100644', type: 'blob', content: 'x = 1\n' };
  const tree = await object('trees', { tree: [blob] });
  const sha = await object('commits', { message: 'x', tree, parents: [] });
  for (const branch of flood) await lab.as('ada', 'PATCH', `/git/refs/heads/${branch}`, { sha, force: true });
  await lab.as('mira', 'PATCH', `/pulls/${daily}`, { state: 'closed' });
  await lab.clock.advance(10 * MINUTE);
  const pull = await openOwnPull(lab, { branch: 'ada/honest' });
  await addLabels(lab, 'ada', pull);
  await lab.clock.advance(10 * MINUTE);
  expect(await readState(lab, ownRunName(pull))).not.toBeNull();
  await lab.close();
});

/**
 * The playground cannot turn a pull request into a draft: this changes the row, and the next edit sends the
 * webhook.
 */
async function draft(lab: VirtualLab, pull: number): Promise<void> {
  turn(lab, pull);
  await lab.as('ada', 'PATCH', `/pulls/${pull}`, { title: 'A longer warmup, not yet' });
}

function turn({ world }: VirtualLab, pull: number): void {
  for (const [key, row] of Object.entries(world.state.issues))
    if (row.number === pull && row.pull !== null)
      world.state.issues[key] = { ...row, pull: { ...row.pull, draft: true } };
}

function shut({ world }: VirtualLab, pull: number): void {
  for (const [key, row] of Object.entries(world.state.issues))
    if (row.number === pull) world.state.issues[key] = { ...row, state: 'closed' };
}

/** The reasons of launchers' refusals and of dropped approvals. */
async function refusalsOf(lab: VirtualLab, run: string): Promise<readonly unknown[]> {
  const { incidents = [], drops = [] } = (await readState(lab, run)) ?? {};
  const refused = filterIncidents(incidents, 'runner-refused').map(({ detail }) => detail.reason);
  return [...refused, ...drops.map(({ data }) => data.reason)];
}
