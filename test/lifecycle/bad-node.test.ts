/**
 * A bad TPU node: proposed with evidence, consented to in comments, deleted once and replaced; then the job
 * restarts.
 */

import { describe, expect, it } from 'vitest';
import { requireActionLine } from '../support/approve.ts';
import { BAD_LINE, openBadNodeLab, playUntilBad } from '../support/bad-node-lab.ts';
import { approve, propose, readState, seal, until, untilState } from '../support/play.ts';
import { listAnswerCodes, postedEvents } from '../support/recorded.ts';
import { listDeletions } from '../support/simulated-cloud.ts';
import {
  listBotComments,
  listBotTexts,
  listRepeatedComments,
  MINUTE,
  postComment,
  pushFile,
  readBranchFile,
} from '../support/talk.ts';

describe('a ferry on a bad node', () => {
  it('asks for consent, deletes the node once, restarts after the replacement and ends sealed', async () => {
    const { lab, cloud } = await openBadNodeLab();
    const { run, pull, issue } = await playUntilBad(lab);
    const [proposal = ''] = listBotTexts(lab, 'action');
    expect(proposal).toMatch(/`\/approve [0-9a-f]{32}`/);
    for (const part of ['10.130.1.45', 'us-central1-a', 'device-busy', 'Device or resource busy', '--quiet'])
      expect(proposal).toContain(part);
    expect(listDeletions(cloud)).toEqual([]);

    const stranger = await postComment(lab, 'sol', issue, requireActionLine(lab, 'ray-worker-7c21'));
    const elsewhere = await postComment(lab, 'mira', pull, requireActionLine(lab, 'ray-worker-7c21'));
    const line = requireActionLine(lab, 'ray-worker-7c21');
    const launch = await postComment(lab, 'mira', issue, line.replace('/approve', '/approve-launch'));
    const bare = await postComment(lab, 'mira', issue, '/approve');
    const old = await postComment(lab, 'mira', issue, '/approve-node-delete vm=ray-worker-7c21');
    const digest = await postComment(lab, 'mira', issue, '/approve 0123456789ab');
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, stranger)).toEqual(['not-permitted']);
    expect(await listAnswerCodes(lab, elsewhere)).toEqual(['action-other-thread']);
    expect(await listAnswerCodes(lab, launch)).toEqual(['approval-line-needed']);
    expect(await listAnswerCodes(lab, bare)).toEqual(['approval-line-needed']);
    expect(await listAnswerCodes(lab, old)).toEqual(['not-understood']);
    expect(await listAnswerCodes(lab, digest)).toEqual(['approval-line-needed']);
    expect(listDeletions(cloud)).toEqual([]);

    const yes = await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await until(lab, 'the second attempt', async () => (await readState(lab, run))?.submission?.attempt === 2);
    expect(await listAnswerCodes(lab, yes)).toEqual(['action-approved']);
    expect(listDeletions(cloud)).toEqual(['ray-worker-7c21']);
    await until(lab, 'the end', async () => (await readState(lab, run))?.end?.status === 'SUCCEEDED');
    await seal(lab, run, issue);
    const state = await readState(lab, run);
    expect(state?.seal?.verdict).toBe('pass');
    expect(state?.attempts.map(({ end }) => end.status)).toEqual(['FAILED']);
    expect(state?.actions[0]?.ended).toMatchObject({ outcome: 'done', code: 'replaced' });
    expect(lab.engine.startCount()).toBe(2);
    expect(listRepeatedComments(lab)).toEqual([]);
    expect(
      listBotComments(lab)
        .map(({ kind }) => kind)
        .filter((kind) => kind === 'launch' || kind === 'ended'),
    ).toEqual(['launch', 'ended', 'launch', 'ended']);
    const again = await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await lab.clock.advance(10 * MINUTE);
    expect(await listAnswerCodes(lab, again)).toEqual(['run-over']);
    expect(listDeletions(cloud)).toHaveLength(1);
    await lab.close();
  });

  it('deletes without a comment if the config pre-approves it, but only as often per day as the config allows', async () => {
    const { lab, cloud } = await openBadNodeLab({
      badNodes: 'approval: pre-approved, deletesPerDayMax: 1',
      restartsMax: 2,
      badLines: [BAD_LINE, BAD_LINE.replace('1.45', '1.46')],
    });
    const { run, issue } = await playUntilBad(lab);
    await until(lab, 'the second bad node', async () => (await readState(lab, run))?.actions.length === 2);
    await lab.clock.advance(90 * MINUTE);
    expect(listDeletions(cloud)).toEqual(['ray-worker-7c21']);
    expect(await postedEvents(lab, 'action')).toContain('action-approved');
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-8d32'));
    await until(lab, 'the third attempt', async () => (await readState(lab, run))?.submission?.attempt === 3);
    expect(listDeletions(cloud)).toEqual(['ray-worker-7c21', 'ray-worker-8d32']);
    await lab.close();
  });

  it('is not restarted if the approved restarts are used up, and posts an incident', async () => {
    const { lab, cloud } = await openBadNodeLab({ restartsMax: 0 });
    const { run, issue } = await playUntilBad(lab);
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await lab.clock.advance(60 * MINUTE);
    expect(listDeletions(cloud)).toHaveLength(1);
    expect((await readState(lab, run))?.order?.order.attempt).toBe(1);
    expect(await postedEvents(lab, 'incident')).toContain('relaunch-refused: no-restarts-left');
    await lab.close();
  });

  it('keeps the node if the machine was recreated after the proposal', async () => {
    const { lab, cloud } = await openBadNodeLab();
    const { run, issue } = await playUntilBad(lab);
    const [bad, ...others] = cloud.nodes;
    if (bad === undefined) throw new Error('no node');
    cloud.nodes = [{ ...bad, createTime: new Date(lab.clock.now() - 1_000).toISOString() }, ...others];
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await lab.clock.advance(30 * MINUTE);
    expect(listDeletions(cloud)).toEqual([]);
    expect((await readState(lab, run))?.actions[0]?.ended).toMatchObject({
      outcome: 'refused',
      code: 'target-changed',
    });
    await lab.close();
  });

  it('is restarted only by a person if no replacement node appears', async () => {
    const { lab, cloud } = await openBadNodeLab();
    cloud.replacementMs = null;
    const { run, issue } = await playUntilBad(lab);
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await lab.clock.advance(3 * 60 * MINUTE);
    expect(listDeletions(cloud)).toEqual(['ray-worker-7c21']);
    const state = await readState(lab, run);
    expect(state?.actions[0]?.ended).toMatchObject({ outcome: 'done', code: 'not-replaced' });
    expect(state?.order?.order.attempt).toBe(1);
    await lab.close();
  });

  it('deletes nothing if the machine disappeared after the proposal', async () => {
    const { lab, cloud } = await openBadNodeLab();
    const { run, issue } = await playUntilBad(lab);
    cloud.nodes = cloud.nodes.slice(1);
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await lab.clock.advance(30 * MINUTE);
    expect(listDeletions(cloud)).toEqual([]);
    expect((await readState(lab, run))?.actions[0]?.ended).toMatchObject({ code: 'target-changed' });
    await lab.close();
  });

  it.each([
    ['an edit of the comment', 'PATCH', { body: '/approve ' }, 'approval-invalid'],
    ['the deletion of the comment', 'DELETE', undefined, 'approval-invalid'],
  ])('keeps the node after %s before the runner checked it', async (_, method, body, code) => {
    const { lab, cloud } = await openBadNodeLab();
    const { run, issue } = await playUntilBad(lab);
    // The runner cannot read the machines until the comment has changed.
    cloud.unreadable = 1_000;
    const comment = await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await untilState(lab, run, (state) => state.actions[0]?.approvals.length === 1);
    await lab.as('mira', method, `/issues/comments/${comment}`, body);
    cloud.unreadable = 0;
    await lab.clock.advance(30 * MINUTE);
    expect(listDeletions(cloud)).toEqual([]);
    expect((await readState(lab, run))?.actions[0]?.ended).toMatchObject({ outcome: 'refused', code });
    await lab.close();
  });

  it('keeps the node if the config withdraws its pre-approval before the runner checks it', async () => {
    const { lab, cloud } = await openBadNodeLab({ badNodes: 'approval: pre-approved' });
    // The proposer can list the machines; the runner cannot until the config has changed.
    cloud.listsLeft = 1;
    const proposed = await propose(lab);
    await approve(lab, 'mira', proposed.pull);
    await untilState(lab, proposed.run, (state) => state.actions[0]?.approvals.length === 1);
    const config = '.github/ferrybot.yml';
    const text = (await readBranchFile(lab, 'main', config)) ?? '';
    await pushFile(lab, 'mira', 'main', config, text.replace('approval: pre-approved', 'approval: ask'));
    cloud.listsLeft = Number.POSITIVE_INFINITY;
    await lab.clock.advance(30 * MINUTE);
    expect(listDeletions(cloud)).toEqual([]);
    const [one] = (await readState(lab, proposed.run))?.actions ?? [];
    expect(one?.ended).toMatchObject({ outcome: 'refused', code: 'not-pre-approved' });
    await lab.close();
  });

  it('refuses consent during a hold, and accepts it after /unhold', async () => {
    const { lab, cloud } = await openBadNodeLab();
    const { issue } = await playUntilBad(lab);
    await postComment(lab, 'mira', issue, '/hold reason="wait for the cluster people"');
    const held = await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await lab.clock.advance(5 * MINUTE);
    expect(await listAnswerCodes(lab, held)).toEqual(['action-held']);
    await postComment(lab, 'mira', issue, '/unhold');
    await lab.clock.advance(2 * MINUTE);
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await lab.clock.advance(20 * MINUTE);
    expect(listDeletions(cloud)).toHaveLength(1);
    await lab.close();
  });

  it.each([
    ['/hold reason="look at it first"', 'held'],
    ['/stop', 'stop-before-launch'],
  ])('deletes the node but does not restart the job if %s arrives meanwhile', async (words, answer) => {
    const { lab, cloud } = await openBadNodeLab();
    const { run, issue } = await playUntilBad(lab);
    await postComment(lab, 'mira', issue, requireActionLine(lab, 'ray-worker-7c21'));
    await until(lab, 'the runner', async () => ((await readState(lab, run))?.actions[0]?.claim ?? null) !== null);
    const said = await postComment(lab, 'mira', issue, words);
    await lab.clock.advance(40 * MINUTE);
    expect(await listAnswerCodes(lab, said)).toEqual([answer]);
    const state = await readState(lab, run);
    expect(state?.actions[0]?.ended).toMatchObject({ code: 'replaced' });
    expect(listDeletions(cloud)).toHaveLength(1);
    expect(lab.engine.startCount()).toBe(1);
    expect(state?.submission?.attempt).toBe(1);
    await lab.close();
  });

  it.each([
    ['no log line names the worker', 'RuntimeError: Device or resource busy', 'no-address'],
    ['the log line covers several workers', `${BAD_LINE} [repeated 3x across cluster]`, 'several-workers'],
    ['no machine has the address', BAD_LINE.replace('1.45', '9.99'), 'no-machine'],
  ])('posts a question instead of a proposal if %s', async (_, line, reason) => {
    const { lab, cloud } = await openBadNodeLab({ badLines: [line] });
    const { run } = await playUntilBad(lab);
    expect(await postedEvents(lab, 'incident')).toContain(`bad-node-unclear: ${reason}`);
    expect((await readState(lab, run))?.actions).toEqual([]);
    expect(listDeletions(cloud)).toEqual([]);
    await lab.close();
  });

  it('proposes the deletion once the machines can be listed again', async () => {
    const { lab, cloud } = await openBadNodeLab();
    cloud.unreadable = 4;
    const { run } = await playUntilBad(lab);
    expect((await readState(lab, run))?.actions).toHaveLength(1);
    await lab.close();
  });
});
