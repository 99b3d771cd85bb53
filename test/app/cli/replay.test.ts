/** `ferrybot replay`: a plain log with or without times, a trace, and usage errors. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type ReplayOptions, replayVerb } from '../../../src/app/cli/verbs/replay.ts';
import { brandAs, isInstant } from '../../../src/domain/values.ts';

async function replayed(lines: readonly string[], options: ReplayOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ferrybot-replay-'));
  writeFileSync(join(folder, 'job.log'), `${lines.join('\n')}\n`);
  const said: string[] = [];
  const code = await replayVerb(
    {
      stdout: { write: (text) => said.push(text) },
      stderr: { write: () => true },
      stdin: Readable.from([]),
      cwd: folder,
      environment: {},
      json: true,
    },
    undefined,
    { log: 'job.log', ...options },
  );
  return { code, ...JSON.parse(said.join('')) };
}

const detectors = ({ alarms }: { alarms: readonly { detector: string }[] }) => alarms.map(({ detector }) => detector);
const clock = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 9) + seconds * 1_000).toISOString();
const steps = (count: number, line: (step: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index + 1));
const loss = (step: number) => (3 + 8 / (1 + step / 60)).toFixed(4);

describe('a plain log', () => {
  it('raises no alarm when it is healthy', async () => {
    const log = steps(1_500, (step) => `${clock(step * 2)} INFO step ${step} loss ${loss(step)}`);
    const result = await replayed(log, { endStatus: 'SUCCEEDED' });
    expect(result).toMatchObject({ code: 0, alarms: [], finalState: 'ended-succeeded' });
    expect(result.actions).toMatchObject([{ action: 'report' }]);
  });

  it.each([
    ['with times', (step: number) => `${clock(step * 2)} INFO `],
    ['with times without a date', (step: number) => `[${clock(step * 2).slice(11, 19)}] `],
    ['without times', () => ''],
  ])('%s raises loss-spike when the loss jumps', async (_, prefix) => {
    const line = (step: number) =>
      `${prefix(step)}step ${step} loss ${(Number(loss(step)) * (step > 600 ? 1.9 : 1)).toFixed(4)}`;
    expect(detectors(await replayed(steps(900, line)))).toEqual(['loss-spike']);
  });

  it('that becomes silent raises stalled-steps once an end of the observation is given', async () => {
    const log = steps(600, (step) => `${clock(step * 2)} INFO step ${step} loss ${loss(step)}`);
    const until = brandAs(Date.UTC(2026, 10, 20, 11), isInstant);
    const result = await replayed(log, { endStatus: 'RUNNING', until });
    expect(detectors(result)).toEqual(['stalled-steps']);
    expect(result.finalState).toBe('degraded');
  });

  it('raises no stall alarm without times', async () => {
    const log = [...steps(100, (step) => `step ${step} loss ${loss(step)}`), ...steps(500, () => 'waiting')];
    expect((await replayed(log)).alarms).toEqual([]);
  });

  it('raises stalled-start if it begins with its first step, not if it begins in the middle', async () => {
    const bar = (step: number, seconds: number) => {
      const [hours, left] = [Math.floor(seconds / 3_600), new Date(seconds * 1_000).toISOString()];
      return `${step}/20000 [${hours}:${left.slice(14, 19)}<9:33:39,  2.00s/it, loss=2.5]`;
    };
    const from = (step: number, seconds: number) =>
      steps(300, (more) => ` 25%|##  | ${bar(step + more - 1, seconds + more * 2)}`);
    expect((await replayed(from(5_100, 4 * 3_600))).alarms).toEqual([]);
    expect(detectors(await replayed(from(1, 4 * 3_600)))).toEqual(['stalled-start']);
  });

  it('gets times for lines without one by interpolation between lines that have one', async () => {
    const middle = steps(40, (step) => `step ${step} loss ${loss(step)}`);
    const log = [`${clock(0)} INFO begun`, ...middle, `${clock(4 * 3_600)} INFO saved`];
    expect((await replayed(log, { endStatus: 'SUCCEEDED' })).alarms).toEqual([]);
  });

  it('starts at the time that the caller gives', async () => {
    const start = brandAs(Date.UTC(2027, 0, 1), isInstant);
    const log = steps(100, (step) => `${clock(step * 2)} step ${step} loss ${step > 50 ? 'nan' : 3}`);
    const { alarms } = await replayed(log, { start });
    expect(alarms).toMatchObject([{ detector: 'nan', at: '2027-01-01T00:02:00.000Z' }]);
  });

  it('reports how the job ended when no status is given', async () => {
    const died = ['step 1 loss 3.1', 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB'];
    const result = await replayed(died);
    expect(result).toMatchObject({
      finalState: 'ended-failed',
      actions: [{ action: 'alert' }, { action: 'escalate' }],
    });
  });
});

describe('a usage error', () => {
  it.each<[string, string | undefined, ReplayOptions]>([
    ['neither trace nor log', undefined, { log: undefined }],
    ['both', 'a.jsonl', { log: 'b.log' }],
    ['an unknown end status', undefined, { log: 'b.log', endStatus: 'DONE' }],
    ['an end status for a trace', 'a.jsonl', { endStatus: 'FAILED' }],
  ])('is reported for %s', async (_, path, options) => {
    const io = {
      stdout: { write: () => true },
      stderr: { write: () => true },
      stdin: Readable.from([]),
      cwd: tmpdir(),
      environment: {},
      json: true,
    };
    expect(await replayVerb(io, path, options)).toBe(2);
    if (path !== undefined && options.log === undefined)
      expect(await replayVerb(io, 'no-such-trace.jsonl', {})).toBe(1);
  });
});
