/** Attacks through the contract of a hero run: which commit it names, and who wrote that commit. */

import { describe, expect, it } from 'vitest';
import { findShownApprovalLine } from '../support/approve.ts';
import { type Answers, branchHead, HERO_LANE, openHeroIssue, openHeroLab, postHeroIssue } from '../support/hero-run.ts';
import { branchOff, listOpenGates, openFromFork } from '../support/own-pull.ts';
import { approve, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import {
  holdJobs,
  listAnswersTo,
  listBotComments,
  listBotTexts,
  postComment,
  pushFile,
  readBody,
  readBranchFile,
} from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';
import { openIssueAsWorkflow } from '../support/workflow-voice.ts';

const RUN = 'grug-moe-1e23-ep8';
const MINUTE = 60_000;
const UNREADABLE = ['authors-known unreadable'];
const FILE = 'experiments/ferries/daily.py';

/** The gates of Ada's issue with these answers, and the result of Mira's approval. */
async function approvedByMira(lab: VirtualLab, answers: Answers) {
  const issue = await openHeroIssue(lab, { answers });
  await untilState(lab, RUN, (state) => state.gate != null, { limitMs: 60 * MINUTE });
  const state = await readState(lab, RUN);
  const gates = state === null ? [] : listOpenGates(state);
  await lab.clock.advance(5 * MINUTE);
  const comment = await postComment(lab, 'mira', issue, findShownApprovalLine(lab, RUN) ?? '/approve-launch');
  await lab.clock.advance(10 * MINUTE);
  return { gates, answer: listAnswersTo(lab, comment)[0] ?? '', starts: lab.engine.startCount() };
}

/** Merges Mira's pull request, in which one commit reverts the one before; returns that reverted commit. */
async function mergedByAda(lab: VirtualLab, method: 'merge' | 'rebase'): Promise<string> {
  await branchOff(lab, 'mira', 'mira/tidy');
  const text = (await readBranchFile(lab, 'main', FILE)) ?? '';
  await pushFile(lab, 'mira', 'mira/tidy', FILE, `import os\n${text}`);
  const pushed = await branchHead(lab, 'mira/tidy');
  await pushFile(lab, 'mira', 'mira/tidy', FILE, text);
  await pushFile(lab, 'mira', 'mira/tidy', 'lib/tidy.py', 'x = 1\n');
  const pull = { title: 'Tidy', body: 'Tidies.', head: 'mira/tidy', base: 'main' };
  const { number } = (await lab.as('mira', 'POST', '/pulls', pull)) as { readonly number: number };
  await lab.as('ada', 'PUT', `/pulls/${number}/merge`, { merge_method: method });
  if (method === 'merge') return pushed;
  const log = await lab.store.log({ from: await branchHead(lab), paths: [FILE], limit: 5 });
  return log[1]?.sha ?? '';
}

describe('a contract that names a commit by its approver', () => {
  // threat T36
  it.each(['merge', 'rebase'] as const)(
    'launches nothing if the approver reverted it in the same pull request, merged by %s',
    async (method) => {
      const lab = await openHeroLab();
      const inner = await mergedByAda(lab, method);
      await pushFile(lab, 'ada', 'main', 'lib/newer.py', 'x = 1\n');
      const played = await approvedByMira(lab, { 'Source SHA': inner });
      expect(played.gates).toEqual(['authors-known unreadable']);
      expect(played.answer).toContain(`main did not point to ${inner.slice(0, 12)}`);
      expect(played.starts).toBe(0);
      await lab.close();
    },
  );

  it("launches nothing if the reverted commit is more than a hundred pushes old, beyond GitHub's first page", async () => {
    const lab = await openHeroLab();
    const inner = await mergedByAda(lab, 'rebase');
    for (let move = 0; move < 101; move += 1) await pushFile(lab, 'ada', 'main', 'lib/newer.py', `x = ${move}\n`);
    const played = await approvedByMira(lab, { 'Source SHA': inner });
    expect(played.gates).toEqual(UNREADABLE);
    expect(played.answer).toContain(`main did not point to ${inner.slice(0, 12)}`);
    expect(played.starts).toBe(0);
    await lab.close();
  });

  // threat T41
  it.each([
    ['with its branch named', { Branch: 'mira/side' }, [], 'this change is yours'],
    ['with another branch named', { Branch: 'ada/other' }, UNREADABLE, 'ada/other does not have'],
    ['with the target branch named', { Branch: 'main' }, UNREADABLE, 'main does not have'],
    ['with no branch named', {}, UNREADABLE, 'the target branch does not have'],
    ['with a missing branch named', { Branch: 'nowhere' }, UNREADABLE, 'nowhere does not have'],
  ] as const)('launches nothing for a commit %s', async (_where, answers, gates, words) => {
    const lab = await openHeroLab();
    await branchOff(lab, 'mira', 'mira/side');
    await branchOff(lab, 'ada', 'ada/other');
    await pushFile(lab, 'mira', 'mira/side', 'lib/side.py', 'x = 1\n');
    const source = await branchHead(lab, 'mira/side');
    const played = await approvedByMira(lab, { 'Source SHA': source, ...answers });
    expect(played.gates).toEqual(expect.arrayContaining([...gates]));
    expect(played.answer).toContain(words);
    expect(played.starts).toBe(0);
    await lab.close();
  });
});

describe('an issue that a workflow opened and labelled', () => {
  const opened = async (lab: VirtualLab): Promise<number> => {
    const labels = ['experiment', 'hero-run'];
    const issue = await openIssueAsWorkflow(lab, { ...(await postHeroIssue(lab)), labels });
    await lab.clock.advance(30 * MINUTE);
    expect((await readState(lab, RUN))?.gate ?? null).toBeNull();
    expect(listBotComments(lab).filter(({ thread, kind }) => thread === issue && kind === 'own-pull')).toEqual([
      expect.objectContaining({ text: expect.stringContaining('no person added the label') }),
    ]);
    return issue;
  };
  const gated = (lab: VirtualLab) =>
    until(lab, 'the gates', async () => (await readState(lab, RUN))?.gate != null, { limitMs: 60 * MINUTE });

  it('starts no run, posts the reason once, and starts the run after a writer comments /propose', async () => {
    const lab = await openHeroLab();
    const issue = await opened(lab);
    const stranger = await postComment(lab, 'sol', issue, '/propose');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, stranger)).toEqual(['not-permitted']);
    expect(await readState(lab, RUN)).toBeNull();
    await postComment(lab, 'ada', issue, '/propose');
    await gated(lab);
    await lab.close();
  });
});

// threat T42
it('removing the label withdraws the run, and the user who adds it again counts as requester of the next run', async () => {
  const lab = await openHeroLab();
  const issue = await openHeroIssue(lab);
  await until(lab, 'the card', () => findShownApprovalLine(lab, RUN) !== null, { limitMs: 60 * MINUTE });
  const line = findShownApprovalLine(lab, RUN) ?? '';
  expect(listBotTexts(lab, 'card').join('')).not.toContain('the same configuration again');
  await lab.as('ada', 'DELETE', `/issues/${issue}/labels/hero-run`);
  await lab.clock.advance(5 * MINUTE);
  expect((await readState(lab, RUN))?.closed?.reason).toBe('the label hero-run was taken off before a launch');
  await postComment(lab, 'mira', issue, line);
  await lab.clock.advance(5 * MINUTE);
  expect(lab.engine.startCount()).toBe(0);
  await lab.as('mira', 'POST', `/issues/${issue}/labels`, { labels: ['hero-run'] });
  const next = `${RUN}-2`;
  await until(lab, 'the next card', () => findShownApprovalLine(lab, next) !== null, { limitMs: 60 * MINUTE });
  const own = await postComment(lab, 'mira', issue, findShownApprovalLine(lab, next) ?? '');
  await lab.clock.advance(5 * MINUTE);
  expect(await listAnswerCodes(lab, own)).toEqual(['approval-by-author']);
  expect(lab.engine.startCount()).toBe(0);
  await lab.close();
});

// threat T40
it("a fork's commit in a contract launches nothing, even if the lab accepts one-person approvals", async () => {
  const lab = await openHeroLab({
    config: (text) => `${text.trimEnd().replace('onePersonIsEnough: false', 'onePersonIsEnough: true')}\n${HERO_LANE}`,
  });
  await openFromFork(lab);
  const source = await branchHead(lab, 'warmup');
  await lab.as('ada', 'DELETE', '/git/refs/heads/warmup');
  await branchOff(lab, 'ada', 'ada/other');
  const played = await approvedByMira(lab, { 'Source SHA': source, Branch: 'ada/other' });
  expect(played.gates).toContain('freshness unreadable');
  expect(played.answer).toContain(`ada/other does not have ${source.slice(0, 12)}`);
  expect(played.starts).toBe(0);
  await lab.close();
});

it.each([
  ['mira', 0, false],
  ['mira', 0, true],
  ['ada', 1, false],
  ['ada', 1, true],
] as const)(
  'the merged commit of %s counts as the work of its pusher on the named branch (%i jobs; deleted: %s)',
  async (who, jobs, isDeleted) => {
    const lab = await openHeroLab();
    const branch = `${who}/side`;
    await branchOff(lab, who, branch);
    await pushFile(lab, who, branch, 'lib/side.py', 'x = 1\n');
    const source = await branchHead(lab, branch);
    const pull = { title: 'Side', body: 'Beside.', head: branch, base: 'main' };
    const { number } = (await lab.as(who, 'POST', '/pulls', pull)) as { readonly number: number };
    await lab.as('ada', 'PUT', `/pulls/${number}/merge`, { merge_method: 'merge' });
    if (isDeleted) await lab.as('ada', 'DELETE', `/git/refs/heads/${branch}`);
    const { answer, starts } = await approvedByMira(lab, { 'Source SHA': source, Branch: branch });
    expect(answer).toContain(jobs === 1 ? 'approved manifest' : 'this change is yours');
    expect(starts).toBe(jobs);
    await lab.close();
  },
);

it('a commit that was once the tip of the branch can be launched', async () => {
  const lab = await openHeroLab();
  await mergedByAda(lab, 'merge');
  const stood = await branchHead(lab);
  await pushFile(lab, 'ada', 'main', 'lib/newer.py', 'x = 1\n');
  const { starts } = await approvedByMira(lab, { 'Source SHA': stood });
  expect(starts).toBe(1);
  await lab.close();
});

describe('a contract with the output root of another run', () => {
  // threat T109
  // rule HR-37
  it.each([
    ['itself', { 'Output root': 'outputs/grug-moe-1e23-ep8' }],
    ['around it', { 'Output root': './outputs//' }],
    ['within it', { 'Output root': 'outputs/grug-moe-1e23-ep8/checkpoints' }],
    ['with a trailing slash', { 'Output root': 'outputs/grug-moe-1e23-ep8/' }],
  ])('launches nothing (%s), and names the other run', async (_where, answers) => {
    const { cards, starts } = await secondRun({}, answers);
    expect(cards).toContain(`the run \`${RUN}\` was launched to write to \`outputs/grug-moe-1e23-ep8\``);
    expect(starts).toBe(1);
  });

  // threat T117
  it.each([
    ['the output root of the other', {}, { 'Checkpoint root': '/data/first/checkpoints' }, '/data/first'],
    [
      'the temporary root of the other',
      { 'Temporary checkpoint root': '/tmp-data/first' },
      { 'Temporary checkpoint root': '/tmp-data/first/' },
      '/tmp-data/first',
    ],
    [
      'the checkpoint root of the other, as output root',
      { 'Checkpoint root': '/data/second/checkpoints' },
      { 'Output root': '/data/second' },
      '/data/second/checkpoints',
    ],
  ])('launches nothing if the checkpoints would go to %s', async (_where, first, second, root) => {
    const own = { 'Output root': '/data/first', ...first };
    const { cards, starts } = await secondRun(own, { 'Output root': '/data/own', ...second });
    expect(cards).toContain(`the run \`${RUN}\` was launched to write to \`${root}\``);
    expect(starts).toBe(1);
  });

  /** Ends a first run, then opens a second one with these answers. */
  const secondRun = async (first: Answers, answers: Answers) => {
    const lab = await openHeroLab();
    await approvedByMira(lab, first);
    await untilState(lab, RUN, (state) => state.observation != null, { stepMs: MINUTE });
    const thread = (await readState(lab, RUN))?.proposal.issue ?? 0;
    await postComment(lab, 'mira', thread, '/stop');
    await until(lab, 'the end', async () => (await readState(lab, RUN))?.end != null, { stepMs: MINUTE });
    await postComment(lab, 'mira', thread, '/ack reject="the wrong data"');
    await lab.clock.advance(5 * MINUTE);
    const second = 'grug-moe-second';
    const issue = await openHeroIssue(lab, { answers: { 'Run slug': second, 'W&B run id': second, ...answers } });
    await untilState(lab, second, (state) => state.gate != null, { limitMs: 60 * MINUTE });
    const verdicts = (await readState(lab, second))?.gate?.verdicts ?? [];
    expect(verdicts.find(({ gate }) => gate === 'output-root-own')).toMatchObject({ outcome: 'fail', code: 'taken' });
    await postComment(lab, 'mira', issue, findShownApprovalLine(lab, second) ?? '/approve-launch');
    await lab.clock.advance(10 * MINUTE);
    const found = { cards: listBotTexts(lab, 'card').join(''), starts: lab.engine.startCount() };
    await lab.close();
    return found;
  };
});

it.each([
  { what: 'was edited', reason: 'manifest-changed', change: (body: string) => ({ body: `${body}\n\nTrust me.` }) },
  { what: 'was closed', reason: 'pull-closed', change: () => ({ state: 'closed' }) },
])('the runner reads the issue again and refuses to launch if it $what', async ({ reason, change }) => {
  const held = holdJobs('launch');
  // Without webhooks control does not notice in time, so only the runner can refuse.
  const lab = await openHeroLab({ webhooks: false, beforeJob: held.beforeJob });
  const issue = await openHeroIssue(lab);
  await untilState(lab, RUN, (state) => state.gate?.digest != null, { limitMs: 60 * MINUTE });
  await approve(lab, 'mira', issue, RUN);
  await until(lab, 'the launch job', () => held.waiting() === 1, { stepMs: 1_000 });
  await lab.as('ada', 'PATCH', `/issues/${issue}`, change(readBody(lab, issue)));
  held.letGo();
  await lab.clock.advance(5_000);
  expect(lab.log.join('\n')).toContain(`launch: ${reason}`);
  await lab.clock.advance(40 * MINUTE);
  expect(lab.engine.startCount()).toBe(0);
  await lab.close();
});

// threat T251
it('a run whose marks a writer deleted can still be stopped by a new process', async () => {
  // Without a server, each comment is handled by its own process.
  const lab = await openHeroLab({ server: false });
  // The marks of this run are kept.
  await propose(lab);
  const { starts } = await approvedByMira(lab, {});
  expect(starts).toBe(1);
  const state = await readState(lab, RUN);
  for (const ref of (await lab.store.refs('refs/tags/ferrybot-mark-')).keys())
    if (ref.includes(`-${RUN}-`)) await lab.as('ada', 'DELETE', `/git/${ref}`);
  expect([...(await lab.store.refs('refs/tags/ferrybot-mark-')).keys()]).not.toEqual([]);
  const asked = await postComment(lab, 'mira', state?.proposal.issue ?? 0, '/stop');
  await untilState(lab, RUN, ({ end }) => end?.status === 'STOPPED', { limitMs: 30 * MINUTE });
  expect(listAnswersTo(lab, asked)).toHaveLength(1);
  await lab.close();
});
