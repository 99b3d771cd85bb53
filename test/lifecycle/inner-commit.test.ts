/**
 * Attacks with a commit inside a merged pull request: it is on the target branch, but was never reviewed by
 * itself.
 */

import { describe, expect, it } from 'vitest';
import { findShownApprovalLine } from '../support/approve.ts';
import { branchHead, openHeroIssue, openHeroLab } from '../support/hero-run.ts';
import {
  addLabels,
  branchOff,
  FILE,
  listOpenGates,
  openLab,
  openOwnPull,
  ownRunName,
  readGates,
} from '../support/own-pull.ts';
import { approve, finish, propose, readState, untilState } from '../support/play.ts';
import { listAnswersTo, listBotTexts, MINUTE, postComment, pushFile, readBranchFile } from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';

const METHODS = ['merge', 'rebase'] as const;
const TOOL = 'lib/smalllab/tool.py';
const REBASE = 'rebase the branch onto `main`';

/**
 * Mira merges Ada's pull request, in which the second commit reverts the first; returns the first commit on
 * main.
 */
async function innerCommit(lab: VirtualLab, method: (typeof METHODS)[number]): Promise<string> {
  await branchOff(lab, 'ada', 'ada/tidy');
  await pushFile(lab, 'ada', 'ada/tidy', TOOL, "print('ADA OWNS THE CLUSTER')\n");
  const pushed = await branchHead(lab, 'ada/tidy');
  await pushFile(lab, 'ada', 'ada/tidy', TOOL, '# nothing\n');
  const pull = { title: 'Tidy', body: 'Tidies.', head: 'ada/tidy', base: 'main' };
  const { number } = (await lab.as('ada', 'POST', '/pulls', pull)) as { readonly number: number };
  await lab.as('mira', 'PUT', `/pulls/${number}/merge`, { merge_method: method });
  if (method === 'merge') return pushed;
  const log = await lab.store.log({ from: await branchHead(lab), paths: [TOOL], limit: 5 });
  return log[1]?.sha ?? '';
}

/** Resets a branch to another commit and makes the same change there. */
async function moveOnto(lab: VirtualLab, branch: string, commit: string): Promise<void> {
  const edited = (await readBranchFile(lab, branch, FILE)) ?? '';
  await lab.as('ada', 'PATCH', `/git/refs/heads/${branch}`, { sha: commit, force: true });
  await pushFile(lab, 'ada', branch, FILE, edited);
}

/** Without a server, the sweep of every 30 minutes finds a push to a branch. */
const SWEPT_MS = 35 * MINUTE;

async function gatesNow(lab: VirtualLab, run: string, waitMs = SWEPT_MS): Promise<readonly string[]> {
  await lab.clock.advance(waitMs);
  const state = await readState(lab, run);
  return state === null ? [] : listOpenGates(state);
}

describe.each([
  ['a server', { server: true }],
  ['no server', { server: false }],
] as const)('the branch of a ferry, with %s,', (_, options) => {
  // threat T37
  it.each(METHODS)(
    'launches nothing when based on a commit inside a merged pull request (%s), and launches after a rebase',
    async (method) => {
      const lab = await openLab(options);
      const { run, pull, issue } = await propose(lab);
      const branch = `ferrybot/proposal/${run}`;
      const line = findShownApprovalLine(lab, run) ?? '';
      await moveOnto(lab, branch, await innerCommit(lab, method));
      expect(await gatesNow(lab, run)).toContain('freshness no-past-tip');
      expect(listBotTexts(lab, 'card').at(-1)).toContain(REBASE);
      expect(listBotTexts(lab, 'card').at(-1)).not.toContain('Ready for approval');
      for (const said of new Set([line, findShownApprovalLine(lab, run) ?? line]))
        await postComment(lab, 'mira', pull, said);
      await lab.clock.advance(30 * MINUTE);
      expect(lab.engine.startCount()).toBe(0);
      await moveOnto(lab, branch, await branchHead(lab));
      await postComment(lab, 'ada', issue, 'Rebased onto main.');
      expect(await gatesNow(lab, run)).toEqual([]);
      await approve(lab, 'mira', pull, run);
      await finish(lab, run);
      expect(lab.engine.startCount()).toBe(1);
      await lab.close();
    },
  );
});

// threat T38
it.each(METHODS)('a pull request based on a commit inside another one (%s) launches nothing', async (method) => {
  const lab = await openLab();
  const inner = await innerCommit(lab, method);
  const pull = await openOwnPull(lab);
  await moveOnto(lab, 'ada/warmup', inner);
  await addLabels(lab, 'ada', pull);
  const run = ownRunName(pull);
  expect(listOpenGates(await readGates(lab, run))).toContain('freshness no-past-tip');
  await postComment(lab, 'mira', pull, findShownApprovalLine(lab, run) ?? '/approve-launch');
  await lab.clock.advance(10 * MINUTE);
  expect(lab.engine.startCount()).toBe(0);
  await lab.close();
});

// threat T39
it('a contract whose commit is based on one inside a merged pull request launches nothing', async () => {
  const lab = await openHeroLab();
  const inner = await innerCommit(lab, 'merge');
  await lab.as('ada', 'POST', '/git/refs', { ref: 'refs/heads/ada/side', sha: inner });
  await pushFile(lab, 'ada', 'ada/side', 'lib/side.py', 'x = 1\n');
  const answers = { 'Source SHA': await branchHead(lab, 'ada/side'), Branch: 'ada/side' };
  const issue = await openHeroIssue(lab, { answers });
  const run = 'grug-moe-1e23-ep8';
  await untilState(lab, run, (state) => state.gate != null, { limitMs: 60 * MINUTE });
  expect(await gatesNow(lab, run, 5 * MINUTE)).toEqual(['freshness no-past-tip']);
  const comment = await postComment(lab, 'mira', issue, findShownApprovalLine(lab, run) ?? '/approve-launch');
  await lab.clock.advance(10 * MINUTE);
  expect(listAnswersTo(lab, comment).join('')).toContain('which is not among the newest 500 tips of `main`');
  expect(listBotTexts(lab, 'card').at(-1)).toContain(REBASE);
  expect(lab.engine.startCount()).toBe(0);
  await lab.close();
});

/** Lists this many further pushes to main, newer than all others. */
function moveMain(lab: VirtualLab, moves: number): void {
  const { activities, counters } = lab.world.state;
  const [newest] = Object.values(activities)
    .filter(({ ref }) => ref === 'refs/heads/main')
    .toSorted((a, b) => b.id - a.id);
  if (newest === undefined) throw new Error('main never moved');
  for (let move = 0; move < moves; move += 1) {
    counters['activities'] = (counters['activities'] ?? 0) + 1;
    const id = counters['activities'];
    const [before, after] = [newest.after, newest.after];
    activities[id] = { ...newest, id, before, after, kind: 'push' };
  }
}

describe('a ferry based on an old tip of main', () => {
  /** A ferry is proposed, main is pushed to, and a process that never saw the old tip evaluates the gates. */
  async function behindBy(moves: number) {
    const lab = await openLab({ server: false });
    const { run, pull } = await propose(lab);
    await pushFile(lab, 'ada', 'main', 'README.md', 'newer\n');
    moveMain(lab, moves - 1);
    await postComment(lab, 'ada', pull, '/status');
    return { lab, run, pull, gates: await gatesNow(lab, run) };
  }

  it('launches after 500 later pushes to main', async () => {
    const { lab, run, pull, gates } = await behindBy(500);
    expect(gates).toEqual([]);
    await postComment(lab, 'mira', pull, findShownApprovalLine(lab, run) ?? '');
    await finish(lab, run);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });

  // threat T119
  it('needs a rebase after more than 500 later pushes to main', async () => {
    const { lab, run, pull, gates } = await behindBy(501);
    expect(gates).toEqual(['freshness no-past-tip']);
    expect(listBotTexts(lab, 'card').at(-1)).toContain(REBASE);
    expect(listBotTexts(lab, 'card').at(-1)).toContain('which is not among the newest 500 tips of `main`');
    await postComment(lab, 'mira', pull, findShownApprovalLine(lab, run) ?? '/approve-launch');
    await lab.clock.advance(SWEPT_MS);
    expect(lab.engine.startCount()).toBe(0);
    await lab.close();
  });
});
