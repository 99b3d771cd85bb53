/**
 * A damaged record of a running job: the job is stopped by the id in the last valid entry, and the record
 * stays unchanged.
 */

import { describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { formatLine, textToSign, type UnsealedEvent } from '../../src/logbook/chain.ts';
import { requireApprovalLine } from '../support/approve.ts';
import { logbookText, propose, readState, until, untilState } from '../support/play.ts';
import { listAnswersTo, listBotComments, MINUTE, postComment, pushFile } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';
import { readServerKeys } from '../support/virtual-lab-keys.ts';

const BRANCH = 'ferrybot/logbook';

type Running = { readonly lab: VirtualLab; readonly run: string; readonly pull: number; readonly jobId: string };

async function running(options: VirtualLabOptions = {}): Promise<Running> {
  const lab = await openVirtualLab(options);
  const { run, pull } = await propose(lab);
  await postComment(lab, 'mira', pull, requireApprovalLine(lab));
  await untilState(lab, run, (state) => state.observation != null, { stepMs: MINUTE });
  return { lab, run, pull, jobId: (await readState(lab, run))?.submission?.jobId ?? '' };
}

/** Waits up to 15 minutes. */
async function untilStopped({ lab, jobId }: Pick<Running, 'lab' | 'jobId'>): Promise<void> {
  const isStopped = async (): Promise<boolean> => {
    const job = await lab.engine.observe(jobId, null);
    return job.kind === 'found' && job.status === 'STOPPED';
  };
  await until(lab, 'the stop', isStopped, { stepMs: MINUTE, limitMs: 15 * MINUTE });
}

async function push(lab: VirtualLab, run: string, change: (text: string) => string): Promise<void> {
  await pushFile(lab, 'ada', BRANCH, `runs/2026/11/${run}/events.jsonl`, change(await logbookText(lab, run)));
}

/** Appends an event of a type that this release does not know. */
function newer(text: string): string {
  const { hash: prev, ...last } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as LogbookEvent;
  const key = readServerKeys().control;
  if (key === undefined) throw new Error('control has no key');
  const { sig: _sig, actor: _actor, ...rest } = last;
  const event = {
    ...rest,
    keyId: 'control-demo',
    role: 'control',
    seq: last.seq + 1,
    type: 'launched-twice',
    data: {},
    prev,
  };
  const hash = sha256Hex(formatLine(event as unknown as UnsealedEvent));
  return formatLine({ ...event, hash, sig: key.sign(textToSign(hash)) } as unknown as LogbookEvent);
}

const cutShort = (text: string): string => `${text.split('\n').slice(0, 4).join('\n')}\n`;

describe('a run with a record that does not verify', () => {
  // threat T13
  it.each([
    ['has an invalid line', (text: string) => `${text}junk\n`],
    ['was truncated', cutShort],
    ['contains a zero byte', () => '\u0000\n'],
  ])('is stopped by job id on /stop without a change of the record if the record %s', async (_, change) => {
    const { lab, run, pull, jobId } = await running();
    const good = await logbookText(lab, run);
    await push(lab, run, change);
    const broken = await logbookText(lab, run);
    const stop = await postComment(lab, 'mira', pull, '/stop');
    await untilStopped({ lab, jobId });
    expect(listAnswersTo(lab, stop)).toEqual([expect.stringContaining('does not verify')]);
    expect(await logbookText(lab, run)).toBe(broken);
    expect(lab.engine.startCount()).toBe(1);
    await pushFile(lab, 'ada', BRANCH, `runs/2026/11/${run}/events.jsonl`, good);
    await untilState(lab, run, (state) => state.end?.status === 'STOPPED', { stepMs: MINUTE });
    await lab.close();
  });

  // threat T252
  it('starts one stop workflow for a /stop, not another one after each that ends', async () => {
    const { lab, run, pull, jobId } = await running({ server: false });
    await push(lab, run, (text) => `${text}junk\n`);
    await postComment(lab, 'mira', pull, '/stop');
    await untilStopped({ lab, jobId });
    await lab.clock.advance(9 * MINUTE);
    const stops = Object.values(lab.world.state.runs).filter(({ path }) => path.endsWith('-stop.yml'));
    expect(stops.length).toBeLessThanOrEqual(3);
    await lab.close();
  });

  it('is not stopped by the /stop of an untrusted user', async () => {
    const { lab, run, pull, jobId } = await running();
    await push(lab, run, (text) => `${text}junk\n`);
    await postComment(lab, 'sol', pull, '/stop');
    await lab.clock.advance(5 * MINUTE);
    expect(await lab.engine.observe(jobId, null)).toMatchObject({ status: 'RUNNING' });
    await lab.close();
  });

  it('is stopped by a /stop that was recorded before the damage', async () => {
    const { lab, run, pull, jobId } = await running();
    await postComment(lab, 'mira', pull, '/stop');
    const isAsked = async (): Promise<boolean> => /"stop-requested"/.test(await logbookText(lab, run));
    await until(lab, 'the request', isAsked, { stepMs: 1_000, limitMs: MINUTE });
    await push(lab, run, (text) => `${text}junk\n`);
    await untilStopped({ lab, jobId });
    await lab.close();
  });

  it('still gets an answer that was recorded before the damage but never posted', async () => {
    const lab = await openVirtualLab();
    const { run, pull } = await propose(lab);
    const route = 'POST /repos/lab/ferries/issues/*/comments';
    lab.world.state.settings.faults = [{ kind: 'server-error', rate: 1, seed: 1, route, people: false, durationMs: 0 }];
    const asked = await postComment(lab, 'mira', pull, '/status');
    const isRecorded = async (): Promise<boolean> => /"command-answered"/.test(await logbookText(lab, run));
    await until(lab, 'an answer in the record', isRecorded, { stepMs: 5_000 });
    expect(listAnswersTo(lab, asked)).toEqual([]);
    await push(lab, run, (text) => `${text}junk\n`);
    lab.world.state.settings.faults = [];
    await until(lab, 'an answer', async () => listAnswersTo(lab, asked).length > 0, { stepMs: MINUTE });
    expect(listAnswersTo(lab, asked)).toHaveLength(1);
    await lab.close();
  });

  it.each([
    ['without a server', false, 'none'],
    ['without webhooks', true, 'all'],
  ] as const)('gets an answer to a command in a review, %s', async (_, server, drop) => {
    const lab = await openVirtualLab({ server });
    const { run, pull } = await propose(lab);
    await push(lab, run, (text) => `${text}junk\n`);
    lab.world.state.settings.drop = drop;
    await lab.as('mira', 'POST', `/pulls/${pull}/reviews`, { body: '/status', event: 'COMMENT' });
    const answers = (): readonly { readonly text: string }[] =>
      listBotComments(lab).filter(({ kind, key }) => kind === 'answer' && key === 'review-1');
    await until(lab, 'an answer', async () => answers().length > 0, { stepMs: MINUTE });
    expect(answers()).toEqual([expect.objectContaining({ text: expect.stringContaining('logbook') })]);
    await lab.close();
  });

  it('gets the notice again if it was deleted, even if the journal is damaged too', async () => {
    const lab = await openVirtualLab();
    const { run, pull } = await propose(lab);
    await push(lab, run, (text) => `${text}junk\n`);
    await pushFile(lab, 'ada', BRANCH, 'journal/events.jsonl', 'junk\n');
    const notices = (): readonly { readonly id: number; readonly text: string }[] =>
      listBotComments(lab).filter(({ text }) => text.includes('does not verify'));
    await until(lab, 'a notice', async () => notices().length > 0, { stepMs: MINUTE });
    for (const { id } of notices()) await lab.as('ada', 'DELETE', `/issues/comments/${id}`);
    await postComment(lab, 'mira', pull, '/status');
    await until(lab, 'the notice again', async () => notices().length > 0, { stepMs: MINUTE });
    await lab.close();
  });

  it('is not launched if a newer release wrote to it, and the notice does not claim tampering', async () => {
    const lab = await openVirtualLab();
    const { run, pull } = await propose(lab);
    await push(lab, run, (text) => `${text}${newer(text)}\n`);
    await postComment(lab, 'mira', pull, requireApprovalLine(lab));
    const notices = (): readonly string[] =>
      listBotComments(lab).flatMap(({ kind, text }) => (kind === 'incident' ? [text] : []));
    await until(lab, 'a notice', async () => notices().length > 0, { stepMs: MINUTE });
    expect(notices()).toEqual([expect.stringContaining('This release cannot read all of the logbook of')]);
    expect(notices().join()).toContain('bring everything that reads');
    expect(notices().join()).not.toContain('find out who pushed');
    await lab.clock.advance(30 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect(await logbookText(lab, run)).toContain('"launched-twice"');
    await lab.close();
  });

  it('is stopped by the job id in the marks if the whole branch was deleted', async () => {
    const { lab, pull, jobId } = await running();
    await lab.as('ada', 'DELETE', `/git/refs/heads/${BRANCH}`);
    await postComment(lab, 'mira', pull, '/stop');
    await untilStopped({ lab, jobId });
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });
});
