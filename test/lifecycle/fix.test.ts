/**
 * A job fails, a person fixes the cause on the ferry's branch, another person approves it, and the run
 * continues.
 */

import { describe, expect, it } from 'vitest';
import { findShownApprovalLine, requireApprovalLine } from '../support/approve.ts';
import { ferryScript, type JobScript } from '../support/ferry-script.ts';
import { approve, type Ferry, propose, readEventsOf, readState, seal, until } from '../support/play.ts';
import { commentAndReadCode as askIn } from '../support/recorded.ts';
import {
  holdJobs,
  listBotComments,
  listBotTexts,
  listRepeatedComments,
  postComment,
  pushFile,
  readBranchFile,
  SHORT_FERRY,
} from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';

const MINUTE = 60_000;
const ERROR_LINE = "NameError: name 'warmup_stepz' is not defined";
const LIBRARY = 'lib/smalllab/optimizer.py';
const OUTDATED = `/approve-launch ${'a'.repeat(32)}`;

/** A lab with first attempts that fail with these lines, one each; later attempts succeed. */
async function openLab(
  slips: readonly string[] = [ERROR_LINE],
  may = 'lib',
  options: VirtualLabOptions = {},
  otherwise: (text: string) => string = (text) => text,
): Promise<VirtualLab> {
  let started = 0;
  const script = (): JobScript => {
    const line = slips[started];
    started += 1;
    return ferryScript({ ...SHORT_FERRY, failAt: line === undefined ? null : { step: 100, line, exitCode: 1 } });
  };
  const config = (text: string) =>
    otherwise(text.replace('fixScope: [lib]', `fixScope: [${may}]`).replace(/preApprovedFixes: .*/, ''));
  return openVirtualLab({ ...options, script, config });
}

async function playUntilFailed(lab: VirtualLab): Promise<Ferry> {
  const proposed = await propose(lab);
  await approve(lab, 'mira', proposed.pull);
  await ended(lab, proposed.run, 1);
  return { lab, ...proposed };
}

async function ended(lab: VirtualLab, run: string, attempt: number): Promise<void> {
  await until(lab, `the end of attempt ${attempt}`, async () => {
    const state = await readState(lab, run);
    return state?.end?.attempt === attempt;
  });
  await lab.clock.advance(2 * MINUTE);
}

/** A person fixes the library on the ferry's branch and comments on the issue. */
async function fix(
  { lab, run, issue }: Ferry,
  who: 'ada' | 'mira' = 'ada',
  path = LIBRARY,
  line = '# warmup_steps, not warmup_stepz',
): Promise<void> {
  const branch = `ferrybot/proposal/${run}`;
  const text = (await readBranchFile(lab, branch, path)) ?? '';
  await pushFile(lab, who, branch, path, `${text}${line}\n`);
  await postComment(lab, who, issue, 'The name was misspelt in the library; mended on the branch.');
  await lab.clock.advance(2 * MINUTE);
}

function card(lab: VirtualLab): string {
  return listBotComments(lab).findLast(({ kind }) => kind === 'card')?.text ?? '';
}

const ask = (lab: VirtualLab, who: 'ada' | 'mira', thread: number, words: string) =>
  askIn(lab, who, thread, words, 2 * MINUTE);

describe('a fix in the pull request after a failed attempt', () => {
  // rule DF-26
  it("is shown with its changes, approved, launched as the run's next attempt, and sealed", async () => {
    const failed = await playUntilFailed(await openLab());
    const { lab, run, pull, issue } = failed;
    const first = await readState(lab, run);
    expect(first?.end).toMatchObject({ attempt: 1, status: 'FAILED' });
    await fix(failed);
    const gated = await readState(lab, run);
    expect(gated?.gate?.digest).not.toBe(first?.gate?.digest);
    expect(gated?.approvals).toEqual([]);
    expect(card(lab)).toContain('Attempt 1 failed');
    expect(card(lab)).toContain(`\`${LIBRARY}\``);
    expect(card(lab)).toContain('Compared with attempt 1 (commit');

    await approve(lab, 'mira', pull, run);
    await until(lab, 'the second attempt', async () => (await readState(lab, run))?.submission?.attempt === 2);
    const second = await readState(lab, run);
    expect(second?.order?.order).toMatchObject({
      attempt: 2,
      parent: { run, attempt: 1 },
      digest: gated?.gate?.digest,
      submissionId: `ferrybot-${run}-a2`,
    });
    expect(second?.submission?.commit).toBe(gated?.gate?.commit);
    expect(second?.order?.manifest?.trees['lib']).not.toBe(second?.attempts[0]?.order.manifest?.trees['lib']);
    expect(second?.attempts.map(({ end }) => end.status)).toEqual(['FAILED']);

    await ended(lab, run, 2);
    expect(listBotTexts(lab, 'ended').at(-1)).toContain(`Fixed after attempt 1: \`${LIBRARY}\`.`);
    expect(listBotTexts(lab, 'ended')[0]).not.toContain('Fixed after');
    await seal(lab, run, issue);
    const sealed = await readState(lab, run);
    expect(sealed?.seal).toMatchObject({ verdict: 'pass', commit: gated?.gate?.commit });
    expect(lab.engine.startCount()).toBe(2);
    expect(listRepeatedComments(lab)).toEqual([]);
    await lab.close();
  });

  it('is not approved by the person who pushed it', async () => {
    const failed = await playUntilFailed(await openLab());
    const { lab, run, pull } = failed;
    await fix(failed, 'mira');
    expect(await ask(lab, 'mira', pull, requireApprovalLine(lab))).toBe('approval-by-author');
    expect((await readState(lab, run))?.order?.order.attempt).toBe(1);
    await lab.close();
  });

  it('is not launched by the approval line of the first attempt', async () => {
    const failed = await playUntilFailed(await openLab());
    const { lab, run, pull } = failed;
    const spent = (await readEventsOf(lab, run)).map(lineOf).find((line) => line !== '') ?? '';
    await fix(failed);
    expect(await ask(lab, 'mira', pull, spent)).toBe('approval-line-needed');
    await lab.clock.advance(30 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });

  it('is withdrawn with its pull request, and the comment reports that attempt 1 ran and failed', async () => {
    const held = holdJobs('launch');
    let isHeld = false;
    const beforeJob = (mode: string) => (isHeld ? held.beforeJob(mode) : Promise.resolve());
    const failed = await playUntilFailed(await openLab([ERROR_LINE], 'lib', { beforeJob }));
    const { lab, run, pull } = failed;
    isHeld = true;
    await fix(failed);
    await approve(lab, 'mira', pull, run);
    await until(lab, 'the second launcher', () => held.waiting() > 0, { stepMs: 5_000 });
    await lab.as('ada', 'PATCH', `/pulls/${pull}`, { state: 'closed' });
    await lab.clock.advance(MINUTE);
    held.letGo();
    await lab.clock.advance(20 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    expect(listBotTexts(lab, 'closed')).toEqual([
      expect.stringContaining('withdrawn before it was launched; attempt 1 FAILED. There is no tag.'),
    ]);
    expect((await readState(lab, run))?.closed?.reason).toContain('closed before attempt 2');
    await lab.close();
  });

  it('is blocked outside the scope of a fix, and the gate names the scope', async () => {
    const failed = await playUntilFailed(await openLab());
    const { lab, run, pull } = failed;
    await fix(failed, 'ada', 'scripts/compare_runs.py');
    expect(card(lab)).toContain('`scripts/compare_runs.py` is outside what a fix of attempt 1 may touch');
    expect(card(lab)).toContain('`experiments/ferries/daily.py` and `lib`');
    expect(findShownApprovalLine(lab, run)).toBeNull();
    expect(await ask(lab, 'mira', pull, OUTDATED)).toBe('approval-gates-blocked');
    await lab.clock.advance(30 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });

  it('is required by `/approve-launch` after a failure: without a fix there is nothing to approve', async () => {
    const { lab, pull } = await playUntilFailed(await openLab());
    expect(await ask(lab, 'mira', pull, OUTDATED)).toBe('no-fix');
    await lab.close();
  });

  it('cannot be approved while the job runs, after a success, or after the seal', async () => {
    const lab = await openLab([]);
    const proposed = await propose(lab);
    const { run, pull, issue } = proposed;
    await approve(lab, 'mira', pull);
    await until(lab, 'the job', async () => (await readState(lab, run))?.submission !== null);
    const before = (await readState(lab, run))?.gate;
    await fix({ lab, ...proposed });
    expect(await ask(lab, 'mira', pull, OUTDATED)).toBe('too-late');
    await ended(lab, run, 1);
    await fix({ lab, ...proposed });
    expect(await ask(lab, 'mira', pull, OUTDATED)).toBe('too-late');
    await seal(lab, run, issue);
    await fix({ lab, ...proposed });
    expect(await ask(lab, 'mira', pull, OUTDATED)).toBe('run-over');
    expect((await readState(lab, run))?.gate).toEqual(before);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });

  it('can be approved after the failure if it was pushed while the job still ran', async () => {
    const lab = await openLab();
    const proposed = await propose(lab);
    const { run, pull } = proposed;
    await approve(lab, 'mira', pull);
    await until(lab, 'the job', async () => (await readState(lab, run))?.submission !== null);
    await fix({ lab, ...proposed });
    await ended(lab, run, 1);
    await approve(lab, 'mira', pull, run);
    await until(lab, 'the second attempt', async () => (await readState(lab, run))?.submission?.attempt === 2);
    await lab.close();
  });

  it('needs the full number of new approvals, none of them from its author', async () => {
    const config = (text: string) =>
      text.replace('quorum: 1', 'quorum: 2').replace('permission: maintain', 'permission: write');
    const lab = await openLab([ERROR_LINE], 'lib', {}, config);
    const failed = { lab, ...(await propose(lab)) };
    const { run, pull } = failed;
    await approve(lab, 'mira', pull, run);
    await approve(lab, 'ada', pull, run);
    await ended(lab, run, 1);
    await fix(failed);
    expect(await ask(lab, 'mira', pull, requireApprovalLine(lab))).toBe('approved-waiting-for-more');
    expect((await readState(lab, run))?.order?.order.attempt).toBe(1);
    // Ada pushed the fix, so her approval does not count.
    expect(await ask(lab, 'ada', pull, requireApprovalLine(lab))).toBe('approval-by-author');
    await lab.clock.advance(20 * MINUTE);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });

  it('does not count if it changes no launched file', async () => {
    const failed = await playUntilFailed(await openLab([ERROR_LINE], 'notes'));
    const { lab, run, pull } = failed;
    await fix(failed, 'ada', 'notes/cause.md');
    expect(await ask(lab, 'mira', pull, OUTDATED)).toBe('no-fix');
    expect((await readState(lab, run))?.order?.order.attempt).toBe(1);
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });

  it('is attempted once per failure: the same failure again is not approvable', async () => {
    const failed = await playUntilFailed(await openLab([ERROR_LINE, ERROR_LINE]));
    const { lab, run, pull, issue } = failed;
    await fix(failed);
    await approve(lab, 'mira', pull, run);
    await ended(lab, run, 2);
    await fix(failed, 'ada', LIBRARY, '# and once more');
    expect(await ask(lab, 'mira', pull, OUTDATED)).toBe('approval-same-failure');
    expect(lab.engine.startCount()).toBe(2);
    expect(await ask(lab, 'mira', issue, '/ack')).toBe('closed');
    await lab.close();
  });

  it('is discarded if `/ack` closes the run', async () => {
    const failed = await playUntilFailed(await openLab());
    const { lab, run, issue } = failed;
    const launched = (await readState(lab, run))?.submission?.commit;
    await fix(failed);
    expect(await ask(lab, 'mira', issue, '/ack')).toBe('closed');
    const closed = await readState(lab, run);
    expect(closed?.closed?.outcome).toBe('failed');
    expect(closed?.submission?.commit).toBe(launched);
    expect(closed?.gate?.commit).toBe(launched);
    expect(listBotTexts(lab, 'closed')).toHaveLength(1);
    await lab.close();
  });
});

/** The approval line, rebuilt from the digest in the record. */
function lineOf(event: { readonly type: string; readonly data: object }): string {
  return event.type === 'approved' && 'digest' in event.data
    ? `/approve-launch ${String(event.data.digest).slice(7, 39)}`
    : '';
}
