/** The record of a run under way is damaged: its job is stopped by the id that the last good entry has, and the record stays as it is. */

import { describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../src/domain/logbook/event.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { lineOf, signedText, type UnsealedEvent } from '../../src/logbook/chain.ts';
import { approvalLine } from '../support/approve.ts';
import { logbookText, propose, stateOf, until, untilState } from '../support/play.ts';
import { answersTo, botComments, MINUTE, pushFile, say } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab } from '../support/virtual-lab.ts';
import { serverKeys } from '../support/virtual-lab-keys.ts';

const BRANCH = 'ferrybot/logbook';

type Running = {
  readonly lab: VirtualLab;
  readonly run: string;
  readonly pull: number;
  readonly jobId: string;
};

async function running(): Promise<Running> {
  const lab = await openVirtualLab();
  const { run, pull } = await propose(lab);
  await say(lab, 'mira', pull, approvalLine(lab));
  await untilState(lab, run, (state) => state.observation != null, { stepMs: MINUTE });
  return { lab, run, pull, jobId: (await stateOf(lab, run))?.submission?.jobId ?? '' };
}

/** Waits a quarter of an hour at most. */
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

/** What a release would add that has a type more. */
function newer(text: string): string {
  const { hash: prev, ...last } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as LogbookEvent;
  const key = serverKeys().control;
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
  const hash = sha256Hex(lineOf(event as unknown as UnsealedEvent));
  return lineOf({ ...event, hash, sig: key.sign(signedText(hash)) } as unknown as LogbookEvent);
}

const cutShort = (text: string): string => `${text.split('\n').slice(0, 4).join('\n')}\n`;

describe('a run whose record does not verify', () => {
  // threat T13
  it.each([
    ['has a line of junk', (text: string) => `${text}junk\n`],
    ['was cut short', cutShort],
    ['is bytes of nothing', () => '\u0000\n'],
  ])(
    'because it %s: /stop stops the job by its id, and nothing is written to the record',
    async (_, change) => {
      const { lab, run, pull, jobId } = await running();
      const good = await logbookText(lab, run);
      await push(lab, run, change);
      const broken = await logbookText(lab, run);
      const stop = await say(lab, 'mira', pull, '/stop');
      await untilStopped({ lab, jobId });
      expect(answersTo(lab, stop)).toEqual([expect.stringContaining('does not verify')]);
      expect(await logbookText(lab, run)).toBe(broken);
      expect(lab.engine.startCount()).toBe(1);
      await pushFile(lab, 'ada', BRANCH, `runs/2026/11/${run}/events.jsonl`, good);
      await untilState(lab, run, (state) => state.end?.status === 'STOPPED', { stepMs: MINUTE });
      await lab.close();
    },
  );

  it('is not stopped by somebody who may not', async () => {
    const { lab, run, pull, jobId } = await running();
    await push(lab, run, (text) => `${text}junk\n`);
    await say(lab, 'sol', pull, '/stop');
    await lab.clock.advance(5 * MINUTE);
    expect(await lab.engine.observe(jobId, null)).toMatchObject({ status: 'RUNNING' });
    await lab.close();
  });

  it('is stopped by a /stop that was recorded before somebody broke it', async () => {
    const { lab, run, pull, jobId } = await running();
    await say(lab, 'mira', pull, '/stop');
    const isAsked = async (): Promise<boolean> => /"stop-requested"/.test(await logbookText(lab, run));
    await until(lab, 'the request', isAsked, { stepMs: 1_000, limitMs: MINUTE });
    await push(lab, run, (text) => `${text}junk\n`);
    await untilStopped({ lab, jobId });
    await lab.close();
  });

  it('is no reason to leave a command without its answer that was recorded and never told', async () => {
    const lab = await openVirtualLab();
    const { run, pull } = await propose(lab);
    const route = 'POST /repos/lab/ferries/issues/*/comments';
    lab.world.state.settings.faults = [
      { kind: 'server-error', rate: 1, seed: 1, route, people: false, durationMs: 0 },
    ];
    const asked = await say(lab, 'mira', pull, '/status');
    const isRecorded = async (): Promise<boolean> => /"command-answered"/.test(await logbookText(lab, run));
    await until(lab, 'an answer in the record', isRecorded, { stepMs: 5_000 });
    expect(answersTo(lab, asked)).toEqual([]);
    await push(lab, run, (text) => `${text}junk\n`);
    lab.world.state.settings.faults = [];
    await until(lab, 'an answer', async () => answersTo(lab, asked).length > 0, { stepMs: MINUTE });
    expect(answersTo(lab, asked)).toHaveLength(1);
    await lab.close();
  });

  it.each([
    ['by the action alone', false, 'none'],
    ['where no webhook arrives', true, 'all'],
  ] as const)('answers what is said in a review, %s', async (_, server, drop) => {
    const lab = await openVirtualLab({ server });
    const { run, pull } = await propose(lab);
    await push(lab, run, (text) => `${text}junk\n`);
    lab.world.state.settings.drop = drop;
    await lab.as('mira', 'POST', `/pulls/${pull}/reviews`, { body: '/status', event: 'COMMENT' });
    const answers = (): readonly { readonly text: string }[] =>
      botComments(lab).filter(({ kind, key }) => kind === 'answer' && key === 'review-1');
    await until(lab, 'an answer', async () => answers().length > 0, { stepMs: MINUTE });
    expect(answers()).toEqual([expect.objectContaining({ text: expect.stringContaining('logbook') })]);
    await lab.close();
  });

  it('is told again where somebody deleted the notice, and nothing else can answer', async () => {
    const lab = await openVirtualLab();
    const { run, pull } = await propose(lab);
    await push(lab, run, (text) => `${text}junk\n`);
    await pushFile(lab, 'ada', BRANCH, 'journal/events.jsonl', 'junk\n');
    const notices = (): readonly { readonly id: number; readonly text: string }[] =>
      botComments(lab).filter(({ text }) => text.includes('does not verify'));
    await until(lab, 'a notice', async () => notices().length > 0, { stepMs: MINUTE });
    for (const { id } of notices()) await lab.as('ada', 'DELETE', `/issues/comments/${id}`);
    await say(lab, 'mira', pull, '/status');
    await until(lab, 'the notice again', async () => notices().length > 0, { stepMs: MINUTE });
    await lab.close();
  });

  it('because a newer release wrote to it is not launched, and is told as that and as no tampering', async () => {
    const lab = await openVirtualLab();
    const { run, pull } = await propose(lab);
    await push(lab, run, (text) => `${text}${newer(text)}\n`);
    await say(lab, 'mira', pull, approvalLine(lab));
    const notices = (): readonly string[] =>
      botComments(lab).flatMap(({ kind, text }) => (kind === 'incident' ? [text] : []));
    await until(lab, 'a notice', async () => notices().length > 0, { stepMs: MINUTE });
    expect(notices()).toEqual([expect.stringContaining('This release cannot read all of the logbook of')]);
    expect(notices().join()).toContain('bring everything that reads');
    expect(notices().join()).not.toContain('find out who pushed');
    await lab.clock.advance(30 * MINUTE);
    expect(lab.engine.startCount()).toBe(0);
    expect(await logbookText(lab, run)).toContain('"launched-twice"');
    await lab.close();
  });

  it('because the whole branch is gone: /stop stops the job by the id that the marks know', async () => {
    const { lab, pull, jobId } = await running();
    await lab.as('ada', 'DELETE', `/git/refs/heads/${BRANCH}`);
    await say(lab, 'mira', pull, '/stop');
    await untilStopped({ lab, jobId });
    expect(lab.engine.startCount()).toBe(1);
    await lab.close();
  });
});
