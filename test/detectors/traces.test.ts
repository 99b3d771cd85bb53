/** The traces of `fixtures/traces`, replayed: what was healthy raises no alarm, and what was planted is told in time. */

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Replayed, replay } from '../../src/app/replay/replay.ts';
import { readTrace, type Trace } from '../../src/app/replay/trace.ts';
import { DETECTOR_IDS } from '../../src/domain/detector-ids.ts';

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
  it.each(names)('%s raises exactly what it has to, in time', async (name) => {
    const trace = traceOf(name);
    const { alarms, finalState, actions } = expectedOf(trace);
    const replayed = await replay(trace);
    expect(detectorsOf(replayed)).toEqual(alarms.map(({ detector }) => detector));
    // One cadence and a minute after the law is met.
    const most = (trace.header.pollSeconds + 60) * 1_000;
    for (const { detector, lawMetAt } of alarms) {
      const raised = replayed.alarms.find((one) => one.detector === detector);
      expect(Date.parse(raised?.at ?? '') - lawMetAt).toBeLessThanOrEqual(most);
    }
    if (finalState !== undefined) expect(replayed.finalState).toBe(finalState);
    if (actions !== undefined) expect(replayed.actions.map(({ action }) => action)).toEqual(actions);
  });

  it('is planted for every detector', () => {
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
  ])('of the documented incident %s raises nothing', async (name) => {
    const { alarms } = await replay(traceOf(`${name}.jsonl`));
    expect(alarms).toEqual([]);
  });

  it('says why, with the numbers', async () => {
    const { alarms } = await replay(traceOf('fault-throughput-collapse.jsonl'));
    expect(alarms.map(({ why }) => why)).toEqual([
      '39 % slower than its own baseline (0.5 a second) at 3 looks in a row',
    ]);
  });

  it('that cannot be read names the line', () => {
    const header = '{"trace":1,"submittedAt":"2026-11-20T09:00:00Z"}';
    expect(readTrace('')).toMatchObject({ ok: false });
    expect(readTrace(`${header}\n{"at":"yesterday","log":"x"}\n`)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^line 2: /),
    });
    expect(readTrace(`${header}\n{"at"\n`)).toMatchObject({
      error: expect.stringMatching(/^line 2 is no JSON/),
    });
  });
});
