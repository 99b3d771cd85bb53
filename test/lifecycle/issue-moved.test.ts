/** A run's issue is transferred or deleted before the launch or while the job runs. */

import { describe, expect, it } from 'vitest';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
import { ferryScript } from '../support/ferry-script.ts';
import { openHeroIssue, openHeroLab } from '../support/hero-run.ts';
import { propose, readState, until, untilState } from '../support/play.ts';
import { listAnswerCodes } from '../support/recorded.ts';
import { MINUTE, postComment, SHORT_FERRY } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';

function moveAway({ world }: VirtualLab, number: number): void {
  const { issues } = world.state;
  for (const [key, row] of Object.entries(issues)) if (row.number === number) delete issues[key];
}

// threat T107
it('a /stop in the pull request stops the job although the issue is gone', async () => {
  const lab = await openVirtualLab();
  const { run, pull, issue } = await propose(lab);
  await postComment(lab, 'mira', pull, requireApprovalLine(lab));
  await untilState(lab, run, (state) => state.observation != null, { stepMs: MINUTE });
  moveAway(lab, issue);
  const stop = await postComment(lab, 'mira', pull, '/stop');
  await untilState(lab, run, (state) => state.end?.status === 'STOPPED', { stepMs: MINUTE });
  expect(await listAnswerCodes(lab, stop)).toEqual(['stop-requested']);
  await lab.close();
});

it('a proposal without its issue is not launched', async () => {
  const lab = await openVirtualLab();
  const { pull, issue } = await propose(lab);
  const line = requireApprovalLine(lab);
  moveAway(lab, issue);
  await postComment(lab, 'mira', pull, line);
  await lab.clock.advance(90 * MINUTE);
  expect(lab.engine.startCount()).toBe(0);
  await lab.close();
});

const HERO = 'grug-moe-1e23-ep8';

/** A running hero run without its only thread; returns another issue that does not mention the run. */
async function heroWithoutThread(lab: VirtualLab): Promise<number> {
  const issue = await openHeroIssue(lab);
  await until(lab, 'the card', () => findShownApprovalLine(lab, HERO) !== null, { limitMs: 60 * MINUTE });
  await postComment(lab, 'mira', issue, findShownApprovalLine(lab, HERO) ?? '');
  await untilState(lab, HERO, (state) => state.observation != null, { stepMs: MINUTE });
  moveAway(lab, issue);
  return openIssue(lab);
}

async function openIssue(lab: VirtualLab): Promise<number> {
  const issue = { title: 'A question', body: 'Who knows?' };
  return ((await lab.as('ada', 'POST', '/issues', issue)) as { readonly number: number }).number;
}

describe('a hero run without its only issue', () => {
  // threat T120
  it('is stopped by a permitted /stop run=… in another thread, and unknown run names are rejected', async () => {
    const lab = await openHeroLab();
    const elsewhere = await heroWithoutThread(lab);
    const theirs = await postComment(lab, 'sol', elsewhere, `/stop run=${HERO}`);
    const other = await postComment(lab, 'mira', elsewhere, '/stop run=grug-moe-1e23');
    await lab.clock.advance(5 * MINUTE);
    expect(await listAnswerCodes(lab, theirs)).toEqual(['not-permitted']);
    expect(await listAnswerCodes(lab, other)).toEqual(['named-run-unknown']);
    expect((await readState(lab, HERO))?.stop).toBeNull();
    const stop = await postComment(lab, 'mira', elsewhere, `/stop run=${HERO}`);
    await untilState(lab, HERO, (state) => state.end?.status === 'STOPPED', { stepMs: MINUTE, limitMs: 10 * MINUTE });
    expect(await listAnswerCodes(lab, stop)).toEqual(['stop-requested']);
    const late = await postComment(lab, 'mira', elsewhere, `/stop run=${HERO}`);
    await lab.clock.advance(5 * MINUTE);
    expect(await listAnswerCodes(lab, late)).toEqual(['not-now']);
    await lab.close();
  });

  // threat T121
  it('accepts /hold, /unhold and /revoke with run=… from another thread', async () => {
    const lab = await openHeroLab();
    const elsewhere = await heroWithoutThread(lab);
    await postComment(lab, 'mira', elsewhere, `/hold run=${HERO} reason="wait"`);
    await lab.clock.advance(2 * MINUTE);
    expect((await readState(lab, HERO))?.holds).toHaveLength(1);
    await postComment(lab, 'mira', elsewhere, `/unhold run=${HERO}`);
    await lab.clock.advance(2 * MINUTE);
    expect((await readState(lab, HERO))?.holds).toEqual([]);
    const revoke = await postComment(lab, 'mira', elsewhere, `/revoke run=${HERO}`);
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, revoke)).toEqual(['revoked']);
    await lab.close();
  });

  it('accepts a permitted /ack run=… from another thread, except for closing the run', async () => {
    const lab = await openHeroLab({
      script: () => ferryScript({ ...SHORT_FERRY, durationMs: 3 * 60 * MINUTE, hangAt: 300 }),
    });
    const elsewhere = await heroWithoutThread(lab);
    await until(lab, 'the alarm', async () => ((await readState(lab, HERO))?.observation?.alarms ?? []).length > 0, {
      stepMs: 5 * MINUTE,
      limitMs: 4 * 60 * MINUTE,
    });
    const theirs = await postComment(lab, 'sol', elsewhere, `/ack run=${HERO}`);
    await lab.clock.advance(2 * MINUTE);
    expect((await readState(lab, HERO))?.taken).toBeNull();
    expect(await listAnswerCodes(lab, theirs)).toEqual(['not-permitted']);
    const ack = await postComment(lab, 'mira', elsewhere, `/ack run=${HERO}`);
    await lab.clock.advance(2 * MINUTE);
    expect((await readState(lab, HERO))?.taken).toMatchObject({ actor: { login: 'mira' } });
    expect(await listAnswerCodes(lab, ack)).toEqual(['incident-taken']);
    const again = await postComment(lab, 'mira', elsewhere, `/ack run=${HERO}`);
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, again)).toEqual(['not-now']);
    const closing = await postComment(lab, 'mira', elsewhere, `/ack run=${HERO} reject="it hangs"`);
    await postComment(lab, 'mira', elsewhere, `/stop run=${HERO}`);
    await untilState(lab, HERO, (state) => state.end?.status === 'STOPPED', { stepMs: MINUTE });
    const end = await postComment(lab, 'mira', elsewhere, `/ack run=${HERO}`);
    await lab.clock.advance(5 * MINUTE);
    expect(await listAnswerCodes(lab, closing)).toEqual(['closes-in-its-thread']);
    expect(await listAnswerCodes(lab, end)).toEqual(['acknowledged']);
    expect((await readState(lab, HERO))?.acknowledged).toMatchObject({ actor: { login: 'mira' } });
    await lab.close();
  });
});

it.each(['its own thread', 'another thread'])(
  'a hold from %s is lifted by a permitted /unhold run=… in any other thread, and the run can launch',
  async (where) => {
    const lab = await openVirtualLab();
    const { run, pull } = await propose(lab);
    const elsewhere = await openIssue(lab);
    await (where === 'another thread'
      ? postComment(lab, 'mira', elsewhere, `/hold run=${run} reason="wait"`)
      : postComment(lab, 'mira', pull, '/hold reason="wait"'));
    await lab.clock.advance(2 * MINUTE);
    const theirs = await postComment(lab, 'sol', elsewhere, `/unhold run=${run}`);
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, theirs)).toEqual(['not-permitted']);
    expect((await readState(lab, run))?.holds).toHaveLength(1);
    const lift = await postComment(lab, 'mira', await openIssue(lab), `/unhold run=${run}`);
    const again = await postComment(lab, 'mira', elsewhere, `/unhold run=${run}`);
    await lab.clock.advance(2 * MINUTE);
    expect(await listAnswerCodes(lab, lift)).toEqual(['unheld']);
    expect(await listAnswerCodes(lab, again)).toEqual(['unhold-nothing']);
    await postComment(lab, 'mira', pull, requireApprovalLine(lab));
    await untilState(lab, run, (state) => state.submission != null, { stepMs: MINUTE });
    await lab.close();
  },
);
