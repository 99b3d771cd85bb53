/**
 * A damaged record of a running job: the job is stopped by the id in the last valid entry, and the record
 * stays unchanged.
 */

import { describe, expect, it } from 'vitest';
import type { LogbookEvent } from '../../src/domain/logbook/event.ts';
import { sha256Hex } from '../../src/host/keys.ts';
import { hashedText, lineOf, signedText, type UnsealedEvent } from '../../src/logbook/chain.ts';
import { approvalLine } from '../support/approve.ts';
import { logbookText, propose, stateOf, until, untilState } from '../support/play.ts';
import { answersTo, botComments, MINUTE, pushFile, say } from '../support/talk.ts';
import { openVirtualLab, type VirtualLab, type VirtualLabOptions } from '../support/virtual-lab.ts';
import { serverKeys } from '../support/virtual-lab-keys.ts';

const BRANCH = 'ferrybot/logbook';

type Running = {
  readonly lab: VirtualLab;
  readonly run: string;
  readonly pull: number;
  readonly jobId: string;
};

async function running(options: VirtualLabOptions = {}): Promise<Running> {
  const lab = await openVirtualLab(options);
  const { run, pull } = await propose(lab);
  await say(lab, 'mira', pull, approvalLine(lab));
  await untilState(lab, run, (state) => state.observation != null, { stepMs: MINUTE });
  return { lab, run, pull, jobId: (await stateOf(lab, run))?.submission?.jobId ?? '' };
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
  const hash = sha256Hex(hashedText(event as unknown as UnsealedEvent));
  return lineOf({ ...event, hash, sig: key.sign(signedText(hash)) } as unknown as LogbookEvent);
}

const cutShort = (text: string): string => `${text.split('\n').slice(0, 4).join('\n')}\n`;

describe('a run with a record that does not verify', () => {
  // threat T13
  it.each([
    ['has an invalid line', (text: string) => `${text}junk\n`],
    ['was truncated', cutShort],
    ['contains a zero byte', () => '\u0000\n'],
  ])(
    'stops the job by its id on /stop and leaves the record unchanged if the record %s',
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

  it('ignores the /stop of an untrusted user', async () => {
