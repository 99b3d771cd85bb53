/**
 * Users' pull requests: a label or a command makes one a run with the same gates, card and approval as any
 * other.
 */

import { describe, expect, it } from 'vitest';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
import {
  addLabels,
  branchOff,
  commentAndReadAnswer,
  countThreads,
  FILE,
  LABEL,
  listBotCommentsIn,
  listOpenGates,
  openLab,
  openOwnPull,
  ownRunName,
  readGates,
  WHOLE,
} from '../support/own-pull.ts';
import { finish, readState, seal, until } from '../support/play.ts';
import {
  listAnswersTo,
  listRepeatedComments,
  MINUTE,
  postComment,
  pushFile,
  readBody,
  readBranchFile,
} from '../support/talk.ts';
import type { VirtualLab } from '../support/virtual-lab.ts';
import { openAsWorkflow } from '../support/workflow-voice.ts';

describe.each([
  ['with a server', { server: true }],
  ['with sweeps only', { server: true, webhooks: false, sweepMs: 5 * MINUTE }],
  ['without a server', { server: false }],
] as const)("a user's own pull request with the lane's label, %s", (_, options) => {
  it('becomes a run that its author cannot approve, and another person launches and seals', async () => {
    const world = await openLab(options);
    const pull = await openOwnPull(world);
    await addLabels(world, 'ada', pull);
    const run = ownRunName(pull);
    const state = await readGates(world, run);
    expect(state.proposal).toMatchObject({
      lane: 'daily',
      pull,
      headBranch: 'ada/warmup',
      author: { login: 'ada' },
      requestedBy: { login: 'ada' },
      own: { label: LABEL },
      objective: { kind: 'integration' },
    });
    expect(listOpenGates(state)).toEqual([]);
    expect(readBody(world, state.proposal.issue)).toContain(`proposed in #${pull}`);
    await until(world, 'the card', () => findShownApprovalLine(world, run) !== null, { limitMs: 3 * 3_600_000 });
    const own = await postComment(world, 'ada', pull, requireApprovalLine(world, run));
    await until(world, 'the answer', () => listAnswersTo(world, own).length > 0, { limitMs: 2 * 3_600_000 });
    expect(listAnswersTo(world, own)).toEqual([expect.stringContaining('this change is yours')]);
    await postComment(world, 'mira', pull, requireApprovalLine(world, run));
    await finish(world, run);
    await seal(world, run, state.proposal.issue);
    expect((await readState(world, run))?.seal?.verdict).toBe('pass');
    expect(world.engine.startCount()).toBe(1);
    // ferrybot does not change the author's text, checkboxes included.
    expect(readBody(world, pull)).toBe(WHOLE);
    expect(listRepeatedComments(world)).toEqual([]);
    expect(world.world.state.unserved).toEqual([]);
    await world.close();
  });
});

describe('an approval by a contributor', () => {
  // threat T34
  it.each([
    [
      'a user who pushed to its branch',
      async (world: VirtualLab) => {
        const text = (await readBranchFile(world, 'ada/warmup', FILE)) ?? '';
        await pushFile(world, 'mira', 'ada/warmup', FILE, `${text}# as before\n`);
      },
    ],
    ['the user who added the label', null],
    [
      'a user who edited its text',
      async (world: VirtualLab, pull: number) => {
        await world.as('mira', 'PATCH', `/pulls/${pull}`, { body: `${WHOLE}\n\nRead this.` });
      },
    ],
  ])('is refused for %s', async (_, act) => {
    const world = await openLab();
    const pull = await openOwnPull(world);
    await act?.(world, pull);
    await addLabels(world, act === null ? 'mira' : 'ada', pull);
    await readGates(world, ownRunName(pull));
    await until(world, 'the card', () => findShownApprovalLine(world) !== null);
    expect(await commentAndReadAnswer(world, 'mira', pull, requireApprovalLine(world))).toContain(
      'this change is yours',
    );
    expect((await readState(world, ownRunName(pull)))?.approvals).toEqual([]);
    await world.close();
  });

  // threat T35
  it('is refused for every user if an app opened the pull request', async () => {
    const world = await openLab();
    await branchOff(world, 'ada', 'ada/warmup');
    const text = (await readBranchFile(world, 'main', FILE)) ?? '';
    await pushFile(world, 'ada', 'ada/warmup', FILE, text.replace('warmup=100', 'warmup=80'));
    const pull = await openAsWorkflow(world, 'ada/warmup', { title: 'A longer warmup', body: WHOLE });
    await addLabels(world, 'ada', pull);
    const state = await readGates(world, ownRunName(pull));
    expect(listOpenGates(state)).toEqual(['authors-known opened-unnamed']);
    expect(await commentAndReadAnswer(world, 'mira', pull, '/why')).toContain(
      'open a pull request with the same change from your own account',
    );
    await world.close();
  });
});

describe('/propose in a pull request', () => {
  it('makes it a run without a label if the user has write permission', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world);
    expect(await commentAndReadAnswer(world, 'ada', pull, '/propose')).toContain(
      `proposed as \`${ownRunName(pull)}\`: pull request #${pull}`,
    );
    const state = await readGates(world, ownRunName(pull));
    expect(state.proposal).toMatchObject({
      own: { label: null },
      requestedBy: { login: 'ada' },
      request: { thread: pull, knobs: [] },
    });
    expect(await commentAndReadAnswer(world, 'mira', pull, '/propose')).toContain('is proposed already');
    expect((await readState(world, ownRunName(pull)))?.closed).toBeNull();
    await until(world, 'the card', () => findShownApprovalLine(world) !== null);
    await postComment(world, 'mira', pull, requireApprovalLine(world));
    await finish(world, ownRunName(pull));
    expect(world.engine.startCount()).toBe(1);
    await world.close();
  });

  it.each(['ravi', 'sol'] as const)('of %s, who may not propose, does nothing', async (who) => {
    const world = await openLab();
    const pull = await openOwnPull(world);
    expect(await commentAndReadAnswer(world, who, pull, '/propose')).toContain('needs write permission');
    await world.clock.advance(5 * MINUTE);
    expect(await readState(world, ownRunName(pull))).toBeNull();
    expect(countThreads(world)).toBe(1);
    await world.close();
  });

  it('with values is refused, because the pull request is proposed unchanged', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world);
    expect(await commentAndReadAnswer(world, 'mira', pull, '/propose warmup=90')).toContain('it is proposed unchanged');
    expect(await readState(world, ownRunName(pull))).toBeNull();
    await world.close();
  });

  it('is refused if the pull request does not change the experiment', async () => {
    const world = await openLab();
    await branchOff(world, 'ada', 'ada/docs');
    await pushFile(world, 'ada', 'ada/docs', 'docs/notes.md', 'Notes.\n');
    const opened = await world.as('ada', 'POST', '/pulls', {
      title: 'Notes',
      body: '',
      head: 'ada/docs',
      base: 'main',
    });
    const { number } = opened as { readonly number: number };
    expect(await commentAndReadAnswer(world, 'ada', number, '/propose')).toContain(`it does not change \`${FILE}\``);
    await addLabels(world, 'ada', number);
    await world.clock.advance(5 * MINUTE);
    expect(listBotCommentsIn(world, number)).toEqual([expect.stringContaining(`it does not change \`${FILE}\``)]);
    expect(countThreads(world)).toBe(1);
    await world.close();
  });
});

describe('a removed or leftover label', () => {
  it('withdraws the run when it is removed, and requests another run when it is added again', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world);
    await addLabels(world, 'ada', pull);
    await readGates(world, ownRunName(pull));
    await world.as('ada', 'DELETE', `/issues/${pull}/labels/${LABEL}`);
    await until(world, 'the end', async () => ((await readState(world, ownRunName(pull)))?.closed ?? null) !== null);
    expect((await readState(world, ownRunName(pull)))?.closed).toMatchObject({
      outcome: 'withdrawn',
      reason: `the label ${LABEL} was taken off before a launch`,
    });
    await world.clock.advance(MINUTE);
    await addLabels(world, 'ada', pull);
    const again = await readGates(world, `${ownRunName(pull)}-2`);
    expect(again.proposal.issue).not.toBe((await readState(world, ownRunName(pull)))?.proposal.issue);
    await world.close();
  });

  it('requests no other run after the run is sealed', async () => {
    const world = await openLab({ config: (text) => text.replace(/afterSeal: \w+/, 'afterSeal: leave') });
    const pull = await openOwnPull(world);
    await addLabels(world, 'ada', pull);
    const state = await readGates(world, ownRunName(pull));
    await until(world, 'the card', () => findShownApprovalLine(world) !== null);
    await postComment(world, 'mira', pull, requireApprovalLine(world));
    await finish(world, ownRunName(pull));
    await seal(world, ownRunName(pull), state.proposal.issue);
    await world.clock.advance(5 * 60 * MINUTE);
    expect(await readState(world, `${ownRunName(pull)}-2`)).toBeNull();
    await world.close();
  });
});
