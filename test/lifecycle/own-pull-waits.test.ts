/**
 * Users' pull requests that are not a run yet or cannot be launched: each gets one comment with the reason.
 */

import { describe, expect, it } from 'vitest';
import { twoLanes } from '../support/lanes.ts';
import {
  addLabels,
  branchOff,
  commentAndReadAnswer,
  LABEL,
  listBotCommentsIn,
  listOpenGates,
  markReady,
  openFromFork,
  openLab,
  openOwnPull,
  ownRunName,
  readGates,
  WHOLE,
} from '../support/own-pull.ts';
import { propose, readState, until } from '../support/play.ts';
import { listRepeatedComments, MINUTE, postComment, pushFile, readBody } from '../support/talk.ts';

describe('a ferry label that cannot be accepted', () => {
  // threat T43
  it("is answered on a fork's pull request, and the fork is never run", async () => {
    const world = await openLab();
    const pull = await openFromFork(world);
    await addLabels(world, 'ada', pull);
    await world.clock.advance(3 * 60 * MINUTE);
    expect(listBotCommentsIn(world, pull)).toEqual([
      expect.stringContaining('ferrybot never runs a fork with credentials'),
    ]);
    expect(await commentAndReadAnswer(world, 'mira', pull, '/propose')).toContain(
      'ferrybot never runs a fork with credentials',
    );
    expect(await readState(world, ownRunName(pull))).toBeNull();
    await world.close();
  });

  // threat T46
  it('is answered if the user may label but not propose', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world);
    await addLabels(world, 'ada', pull, [LABEL]);
    // ravi adds the label first: the user of the newest label is the requester.
    await world.close();
    const other = await openLab({ webhooks: false, sweepMs: 5 * MINUTE });
    const again = await openOwnPull(other);
    await addLabels(other, 'ravi', again);
    await until(other, 'what is said', () => listBotCommentsIn(other, again).length > 0);
    expect(listBotCommentsIn(other, again)).toEqual([
      expect.stringContaining('ravi requests it, and a proposal needs write permission'),
    ]);
    expect(await readState(other, ownRunName(again))).toBeNull();
    await other.close();
  });

  it('waits on a draft until it is ready for review', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world, { draft: true });
    await addLabels(world, 'ada', pull);
    await world.clock.advance(5 * MINUTE);
    expect(listBotCommentsIn(world, pull)).toEqual([expect.stringContaining('it is a draft')]);
    expect(await readState(world, ownRunName(pull))).toBeNull();
    await markReady(world, pull);
    await readGates(world, ownRunName(pull));
    expect(listRepeatedComments(world)).toEqual([]);
    await world.close();
  });
});

describe('a pull request for an occupied lane', () => {
  it('is answered once with the blocking run, and becomes a run when the lane is free', async () => {
    const world = await openLab();
    const first = await propose(world);
    const pull = await openOwnPull(world);
    await addLabels(world, 'ada', pull);
    await world.clock.advance(3 * 60 * MINUTE);
    expect(listBotCommentsIn(world, pull)).toEqual([
      expect.stringContaining(`\`${first.run}\` is proposed already in #${first.pull}`),
    ]);
    expect(await commentAndReadAnswer(world, 'ada', pull, '/propose')).toContain(
      `\`${first.run}\` is proposed already`,
    );
    await world.as('mira', 'PATCH', `/pulls/${first.pull}`, { state: 'closed' });
    await readGates(world, ownRunName(pull));
    expect(listBotCommentsIn(world, pull)).toHaveLength(1);
    await world.close();
  });

  it('is found by a new process after days', async () => {
    const before = await openLab({ sweepMs: 12 * 60 * MINUTE });
    const first = await propose(before);
    const pull = await openOwnPull(before);
    await addLabels(before, 'ada', pull);
    before.world.state.settings.drop = 'all';
    await before.as('mira', 'PATCH', `/pulls/${first.pull}`, { state: 'closed' });
    const { atMs, ...moment } = before.keep();
    await before.close();
    // Longer than the period that a sweep looks back.
    const world = await openLab({
      webhooks: false,
      sweepMs: 5 * MINUTE,
      from: { ...moment, atMs: atMs + 4 * 24 * 60 * MINUTE, seed: 2 },
    });
    // Before the workflow that proposes would run.
    const found = async () => (await readState(world, ownRunName(pull, '20261125'))) !== null;
    await until(world, 'the run', found, { limitMs: 10 * MINUTE });
    await world.close();
  });

  it('waits for an older pull request in the same lane', async () => {
    const world = await openLab({ webhooks: false, sweepMs: 5 * MINUTE });
    const one = await openOwnPull(world);
    const two = await openOwnPull(world, { branch: 'mira/warmup', who: 'mira' });
    await addLabels(world, 'mira', two);
    await addLabels(world, 'ada', one);
    await readGates(world, ownRunName(one));
    await until(world, 'what is said', () => listBotCommentsIn(world, two).length > 0);
    expect(listBotCommentsIn(world, two)).toEqual([
      expect.stringContaining(
        `\`${ownRunName(one)}\` is proposed already in #${one}. To withdraw it, close #${one}, or remove its label.`,
      ),
    ]);
    await world.as('ada', 'DELETE', `/issues/${one}/labels/${LABEL}`);
    await readGates(world, ownRunName(two));
    expect((await readState(world, ownRunName(one)))?.closed).toMatchObject({ outcome: 'withdrawn' });
    await world.close();
  });

  it('waits until a hold on the lane is lifted', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world);
    await postComment(world, 'mira', pull, '/hold lane=daily reason="a bad node"');
    await addLabels(world, 'ada', pull);
    await world.clock.advance(5 * MINUTE);
    expect(listBotCommentsIn(world, pull)).toEqual([expect.stringContaining('the lane `daily` is on hold by mira')]);
    await postComment(world, 'mira', pull, '/unhold lane=daily');
    const taken = async () => (await readState(world, ownRunName(pull))) !== null;
    await until(world, 'the run', taken, { limitMs: 5 * MINUTE });
    await world.close();
  });
});

describe("a user's pull request with problems", () => {
  it('fails the gates if its text lacks required parts, which are offered in a comment but not inserted', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world, { body: 'A longer warmup.' });
    await addLabels(world, 'ada', pull);
    const state = await readGates(world, ownRunName(pull));
    expect(listOpenGates(state)).toEqual([
      'delta-declared undeclared',
      'risk-present missing',
      'last-ferry-linked missing',
      'preconditions box-open',
    ]);
    expect(readBody(world, pull)).toBe('A longer warmup.');
    const [offered] = listBotCommentsIn(world, pull);
    const paste = /```text\n([\s\S]*?)\n```/.exec(offered ?? '')?.[1] ?? '';
    await world.as('ada', 'PATCH', `/pulls/${pull}`, { body: `A longer warmup.\n\n${paste}` });
    await until(world, 'the gates', async () => listOpenGates(await readGates(world, ownRunName(pull))).length === 0);
    await world.close();
  });

  it('fails the gates if its base branch or a changed file is wrong', async () => {
    const world = await openLab();
    await branchOff(world, 'ada', 'release');
    const pull = await openOwnPull(world);
    await pushFile(world, 'ada', 'ada/warmup', 'docs/notes.md', 'Notes.\n');
    await world.as('ada', 'PATCH', `/pulls/${pull}`, { base: 'release' });
    await addLabels(world, 'ada', pull);
    expect(listOpenGates(await readGates(world, ownRunName(pull)))).toEqual([
      'target-branch wrong-branch',
      'scope outside',
    ]);
    await world.close();
  });

  it('fails the gate for changes other than knob values, and the issue does not call it a rerun', async () => {
    const world = await openLab();
    const pull = await openOwnPull(world, { edit: (text) => `${text}\nprint('hello')\n` });
    await addLabels(world, 'ada', pull);
    const state = await readGates(world, ownRunName(pull));
    expect(listOpenGates(state)).toContain('delta-readable structural');
    expect(readBody(world, state.proposal.issue)).toContain('More changes than values of knobs.');
    await world.close();
  });
});

it("an open experiment issue linked in the pull request becomes the run's issue", async () => {
  const world = await openLab();
  const opened = await world.as('mira', 'POST', '/issues', {
    title: 'Warmup',
    body: 'Does it hold?',
    labels: ['experiment'],
  });
  const { number } = opened as { readonly number: number };
  const pull = await openOwnPull(world, { body: `${WHOLE}\n\nPart of #${number}.` });
  await addLabels(world, 'ada', pull);
  const state = await readGates(world, ownRunName(pull));
  expect(state.proposal.issue).toBe(number);
  expect(listOpenGates(state)).toEqual(['issue-updated issue-not-linked']);
  expect(readBody(world, number)).toBe('Does it hold?');
  await world.close();
});

it("labels on the bot's own pull requests request nothing", async () => {
  const world = await openLab();
  const first = await propose(world);
  await addLabels(world, 'ada', first.pull);
  await world.as('mira', 'PATCH', `/pulls/${first.pull}`, { state: 'closed' });
  await world.clock.advance(5 * MINUTE);
  await world.as('mira', 'PATCH', `/pulls/${first.pull}`, { state: 'open' });
  await world.as('ada', 'DELETE', `/issues/${first.pull}/labels/${LABEL}`);
  await addLabels(world, 'ada', first.pull);
  await world.clock.advance(3 * 60 * MINUTE);
  expect(await readState(world, ownRunName(first.pull))).toBeNull();
  await world.close();
});

it('needs the lane in the command or one label if several lanes match', async () => {
  // Both lanes run the same file.
  const world = await openLab({ config: twoLanes() });
  const pull = await openOwnPull(world);
  expect(await commentAndReadAnswer(world, 'ada', pull, '/propose')).toContain(
    'it fits several lanes (`daily` and `canary`)',
  );
  await addLabels(world, 'ada', pull, [LABEL, 'ferry-canary']);
  await until(world, 'what is said', () => listBotCommentsIn(world, pull).length > 0);
  expect(listBotCommentsIn(world, pull)).toEqual([expect.stringContaining('it fits several lanes')]);
  expect(await commentAndReadAnswer(world, 'ada', pull, '/propose lane=canary')).toContain(
    'proposed as `ferry-canary-20261121-pr',
  );
  expect(await readState(world, ownRunName(pull))).toBeNull();
  await world.close();
});
