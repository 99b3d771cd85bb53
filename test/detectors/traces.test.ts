/**
 * Replays the traces of `fixtures/traces`: healthy traces raise no alarm, and planted faults raise one in
 * time.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Replayed, replay } from '../../src/app/replay/replay.ts';
import { readTrace, type Trace } from '../../src/app/replay/trace.ts';
import { DETECTOR_IDS } from '../../src/domain/failure-class.ts';

const FOLDER = new URL('../../fixtures/traces/', import.meta.url);
const names = readdirSync(FOLDER);

function traceOf(name: string): Trace {
  const read = readTrace(readFileSync(new URL(name, FOLDER), 'utf8'));
  if (!read.ok) throw new Error(`${name}: ${read.error}`);
  return read.value;
}

function expectedOf({ header: { expect: expected } }: Trace): NonNullable<Trace['header']['expect']> {
  if (expected === undefined) throw new Error('a trace of the suite says what has to come of it');
  return expected;
}

const detectorsOf = ({ alarms }: Replayed) => alarms.map(({ detector }) => detector);

describe('a trace', () => {
  // rules HR-38, HR-41
  it.each(names)('%s raises exactly the expected alarms, in time', async (name) => {
    const trace = traceOf(name);
    const { alarms, finalState, actions } = expectedOf(trace);
    const replayed = await replay(trace);
    expect(detectorsOf(replayed)).toEqual(alarms.map(({ detector }) => detector));
    // One cadence and a minute after the rule is met.
    const most = (trace.header.pollSeconds + 60) * 1_000;
    for (const { detector, lawMetAt } of alarms) {
      const raised = replayed.alarms.find((one) => one.detector === detector);
      const delay = Date.parse(raised?.at ?? '') - lawMetAt;
      expect(delay).toBeLessThanOrEqual(most);
      // An alarm before its rule is met is a false alarm in any case.
      expect(delay).toBeGreaterThanOrEqual(0);
    }
    if (finalState !== undefined) expect(replayed.finalState).toBe(finalState);
    if (actions !== undefined) expect(replayed.actions.map(({ action }) => action)).toEqual(actions);
  });

  it('exists for every detector', () => {
    const planted = names.flatMap((name) => expectedOf(traceOf(name)).alarms.map(({ detector }) => detector));
    expect([...new Set(planted)].toSorted()).toEqual([...DETECTOR_IDS].toSorted());
  });

  it.each([
    'healthy-168-minute-start',
    'healthy-frozen-83k',
    'healthy-wandb-frozen-after-rollback',
    'healthy-first-step-261-seconds',
    'healthy-shutdown-tracebacks',
    'healthy-accepted-stop',
    'healthy-tunnel-loss',
  ])('of the documented incident %s raises no alarm', async (name) => {
    const { alarms } = await replay(traceOf(`${name}.jsonl`));
    expect(alarms).toEqual([]);
  });

  it.each(['NaN', 'Infinity', '-Infinity'])(
    'of a tracker with the loss %s raises an alarm immediately',
    async (loss) => {
      const text = readFileSync(new URL('fault-nan-in-tracker.jsonl', FOLDER), 'utf8');
      const read = readTrace(text.replaceAll('"loss": "NaN"', `"loss": "${loss}"`));
      if (!read.ok) throw new Error(read.error);
      const { alarms } = await replay(read.value);
      expect(alarms).toMatchObject([{ detector: 'nan', at: expect.stringContaining('T10:3') }]);
    },
  );

  it('explains an alarm with numbers', async () => {
    const { alarms } = await replay(traceOf('fault-throughput-collapse.jsonl'));
    expect(alarms.map(({ why }) => why)).toEqual([
      '39 % slower than its own baseline (0.5 a second) in 3 consecutive checks',
    ]);
  });

  it('that cannot be read reports the line', () => {
    const header = '{"trace":1,"submittedAt":"2026-11-20T09:00:00Z"}';
    expect(readTrace('')).toMatchObject({ ok: false });
    expect(readTrace(`${header}\n{"at":"yesterday","log":"x"}\n`)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^line 2: /),
    });
    expect(readTrace(`${header}\n{"at"\n`)).toMatchObject({ error: expect.stringMatching(/^line 2 is no JSON/) });
  });
});

describe('the response to the end of an attempt', () => {
  const header = { trace: 1, submittedAt: '2026-11-20T09:00:00Z' };
  const attempt = (from: number, status: string, said: readonly string[], number?: number) => {
    const at = (minute: number) => `2026-11-20T${10 + from}:${String(minute).padStart(2, '0')}:00Z`;
    return [
      ...(number === undefined ? [] : [{ at: at(0), attempt: number }]),
      { at: at(0), engine: { status: 'RUNNING' } },
      ...said.map((log) => ({ at: at(5), log })),
      { at: at(6), engine: { status } },
    ];
  };
  const actionsFor = async (...records: readonly object[]) => {
    const read = readTrace([header, ...records].map((one) => JSON.stringify(one)).join('\n'));
    if (!read.ok) throw new Error(read.error);
    return (await replay(read.value)).actions.filter(({ action }) => action !== 'alert').map(({ action }) => action);
  };
  const PREEMPTED = ['step 10 loss 3.1', 'The node was preempted: spot instance reclaimed', 'job FAILED'];
  const OOM = ['step 10 loss 3.1', 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB'];

  it('is a relaunch after a preemption, and an escalation without further progress', async () => {
    expect(await actionsFor(...attempt(0, 'FAILED', PREEMPTED))).toEqual(['relaunch']);
    expect(await actionsFor(...attempt(0, 'FAILED', PREEMPTED), ...attempt(1, 'FAILED', PREEMPTED, 2))).toEqual([
      'relaunch',
      'escalate',
    ]);
  });

  it('is an escalation for a failure that the same manifest would repeat', async () => {
    expect(await actionsFor(...attempt(0, 'FAILED', OOM))).toEqual(['escalate']);
    expect(await actionsFor(...attempt(0, 'FAILED', ['step 60 loss nan', 'FloatingPointError: nan']))).toEqual([
      'escalate',
    ]);
  });

  it('has no mismatch if the repeated steps are those that had diverged', async () => {
    const line = (step: number, loss: number) => `step ${step} loss ${loss.toFixed(5)}`;
    const sound = (step: number) => 2 + 1 / step;
    // One observation per minute with ten steps each; only the last step of each observation is kept.
    const looks = (hour: number, from: number, to: number, lossAt: (step: number) => number) =>
      Array.from({ length: to - from }, (_, index) => ({
        at: `2026-11-20T${hour}:${String(index).padStart(2, '0')}:30Z`,
        log: Array.from({ length: 10 }, (__, ten) => {
          const step = 10 * (from + index) + ten + 1;
          return line(step, lossAt(step));
        }).join('\n'),
      }));
    const alarmsOf = async (again: (step: number) => number) => {
      const records = [
        { ...header, submittedAt: '2026-11-20T10:00:00Z', pollSeconds: 60 },
        { at: '2026-11-20T10:00:00Z', engine: { status: 'RUNNING' } },
        ...looks(10, 0, 50, (step) => (step < 350 ? sound(step) : 9 + step / 1_000)),
        { at: '2026-11-20T10:55:00Z', engine: { status: 'FAILED' } },
        { at: '2026-11-20T11:00:00Z', attempt: 2 },
        { at: '2026-11-20T11:00:00Z', engine: { status: 'RUNNING' } },
        { at: '2026-11-20T11:00:10Z', log: 'Loading checkpoint from /outputs/step-300' },
        ...looks(11, 30, 50, again),
      ];
      const read = readTrace(records.map((one) => JSON.stringify(one)).join('\n'));
      if (!read.ok) throw new Error(read.error);
      return detectorsOf(await replay(read.value));
    };
    expect(await alarmsOf(sound)).toEqual(['loss-spike']);
    // The steps before the jump must still match.
    expect(await alarmsOf((step) => sound(step) + 0.1)).toEqual(['loss-spike', 'resume-mismatch']);
  });

  it('compares also with the steps between the last two observations', async () => {
    const sound = (step: number) => 2 + 1 / step;
    // A step every ten seconds, and an observation every quarter of an hour.
    const made = (hour: number, from: number, to: number, lossAt: (step: number) => number) =>
      Array.from({ length: to - from }, (_, index) => ({
        at: new Date(Date.UTC(2026, 10, 20, hour, 0, 10 * index)).toISOString(),
        log: `step ${from + index} loss ${lossAt(from + index).toFixed(5)}`,
      }));
    const alarmsOf = async (again: (step: number) => number) => {
      const records = [
        { ...header, submittedAt: '2026-11-20T10:00:00Z', pollSeconds: 900 },
        { at: '2026-11-20T10:00:00Z', engine: { status: 'RUNNING' } },
        ...made(10, 1, 320, sound),
        { at: '2026-11-20T10:55:00Z', engine: { status: 'FAILED' } },
        { at: '2026-11-20T11:00:00Z', attempt: 2 },
        { at: '2026-11-20T11:00:00Z', engine: { status: 'RUNNING' } },
        ...made(11, 281, 400, again),
      ];
      const read = readTrace(records.map((one) => JSON.stringify(one)).join('\n'));
      if (!read.ok) throw new Error(read.error);
      return detectorsOf(await replay(read.value));
    };
    expect(await alarmsOf(sound)).toEqual([]);
    expect(await alarmsOf((step) => sound(step) + 0.005)).toEqual(['resume-mismatch']);
    // A new optimizer state repeats the first steps exactly.
    const from301 = (factor: number) => (step: number) => sound(step) * (step > 301 ? factor : 1);
    expect(await alarmsOf(from301(1.02))).toEqual(['resume-mismatch']);
    expect(await alarmsOf(from301(1.005))).toEqual([]);
  });

  it('uses the pace of the attempt before as baseline, and ignores a warm-up', async () => {
    // From the given minute after ten o'clock, one step per interval.
    const made = (minute: number, seconds: number, from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => ({
        at: new Date(Date.UTC(2026, 10, 20, 10, minute, seconds * (index + 1))).toISOString(),
        log: `step ${from + index} loss 3.00000`,
      }));
    const alarmsOf = async (...again: readonly object[]) => {
      const records = [
        { ...header, submittedAt: '2026-11-20T10:00:00Z', pollSeconds: 600 },
        { at: '2026-11-20T10:00:00Z', engine: { status: 'RUNNING' } },
        ...made(0, 10, 1, 700),
        { at: '2026-11-20T11:58:00Z', engine: { status: 'FAILED' } },
        { at: '2026-11-20T12:00:00Z', attempt: 2 },
        { at: '2026-11-20T12:00:00Z', engine: { status: 'RUNNING' } },
        ...again,
      ];
      const read = readTrace(records.map((one) => JSON.stringify(one)).join('\n'));
      if (!read.ok) throw new Error(read.error);
      return detectorsOf(await replay(read.value));
    };
    expect(await alarmsOf(...made(120, 16, 1, 600))).toEqual(['throughput-collapse']);
    expect(await alarmsOf(...made(120, 12, 1, 600))).toEqual([]);
    expect(await alarmsOf(...made(120, 30, 1, 91), ...made(165, 10, 91, 700))).toEqual([]);
  });

  it('is none after a stop by a known person, and a report after success', async () => {
    const stop = { at: '2026-11-20T10:05:30Z', stop: 'alice' };
    expect(await actionsFor(...attempt(0, 'STOPPED', ['step 10 loss 3.1']), stop)).toEqual(['none']);
    expect(await actionsFor(...attempt(0, 'SUCCEEDED', ['step 10 loss 3.1']))).toEqual(['report']);
  });
});

describe('an observation', () => {
  const minute = (at: number) => new Date(Date.UTC(2026, 10, 20, 9, at)).toISOString();
  const running = [
    { trace: 1, submittedAt: minute(0) },
    { at: minute(0), engine: { status: 'RUNNING' } },
  ];
  const alarmsOf = async (records: readonly object[]) => {
    const read = readTrace([...running, ...records].map((one) => JSON.stringify(one)).join('\n'));
    if (!read.ok) throw new Error(read.error);
    return detectorsOf(await replay(read.value));
  };

  it('continues the trend of earlier observations, also with only nine lines each', async () => {
    const line = (step: number) => ({ at: minute(step), log: `step ${step} loss ${step > 80 ? 6.1 : 3.05}` });
    expect(await alarmsOf(Array.from({ length: 110 }, (_, index) => line(index + 1)))).toEqual(['loss-spike']);
  });

  const lost = { at: minute(12), log: 'OwnerDiedError: the owner of an object has died' };
  const step = (at: number) => ({ at: minute(at), log: `step ${at} loss 3.05` });

  it('reports no failure that was followed by three steps, but one that was followed by none', async () => {
    expect(await alarmsOf([step(11), lost, step(13), step(14), step(15), step(16)])).toEqual([]);
    expect(await alarmsOf([step(11), lost, step(13), { at: minute(16), until: true }])).toEqual(['failure-signature']);
  });

  it('keeps comparing with the steps before a checkpoint load in the previous observation', async () => {
    const made = (from: number, to: number, fromMinute: number, worse: number) =>
      Array.from({ length: to - from }, (_, index) => ({
        at: new Date(Date.UTC(2026, 10, 20, 9, fromMinute, 10 * index)).toISOString(),
        log: `step ${from + index} loss ${(2 + worse + 1 / (from + index)).toFixed(5)}`,
      }));
    const resumed = (worse: number, from = 58) => [
      ...made(1, 313, 0, 0),
      { at: minute(58), log: 'Loading checkpoint from /outputs/step-240' },
      ...made(241, 400, from, worse),
    ];
    expect(await alarmsOf(resumed(0))).toEqual([]);
    expect(await alarmsOf(resumed(0.005))).toEqual(['resume-mismatch']);
    expect(await alarmsOf(resumed(0.005, 72))).toEqual(['resume-mismatch']);
  });

  it('compares with the steps before a checkpoint load, but not with those of another epoch', async () => {
    const made = (from: number, to: number, at: number, loss: string) =>
      Array.from({ length: to - from }, (_, index) => ({ at: minute(at), log: `step ${from + index} loss ${loss}` }));
    const loaded = { at: minute(4), log: 'Loading checkpoint from gs://b/step-60' };
    const again = [...made(60, 100, 3, '3.0500'), ...made(60, 100, 5, '3.0700')];
    const resumed = [...made(60, 100, 3, '3.0500'), loaded, ...made(60, 100, 5, '3.0700')];
    expect(await alarmsOf(again)).toEqual([]);
    expect(await alarmsOf(resumed)).toEqual(['resume-mismatch']);
  });
});
