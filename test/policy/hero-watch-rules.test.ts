/** The alerts that the hero policy requires during a run, replayed through the watch. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Replayed, replay } from '../../src/app/replay/replay.ts';
import { readTrace } from '../../src/app/replay/trace.ts';

async function played(name: string): Promise<Replayed> {
  const text = readFileSync(new URL(`../../fixtures/traces/${name}.jsonl`, import.meta.url), 'utf8');
  const read = readTrace(text);
  if (!read.ok) throw new Error(read.error);
  return replay(read.value);
}

const detectorsIn = async (name: string) => (await played(name)).alarms.map(({ detector }) => detector);

describe('a watched run', () => {
  // rule HR-40
  it('raises an alarm for a lasting slowdown of two fifths, but not for a short dip', async () => {
    expect(await detectorsIn('fault-throughput-collapse')).toEqual(['throughput-collapse']);
    expect(await detectorsIn('healthy-throughput-dips')).toEqual([]);
  });

  // rule HR-42
  it('raises an alarm after half an hour in the queue, without any further action', async () => {
    const { alarms, actions } = await played('fault-pending-long');
    expect(alarms.map(({ detector }) => detector)).toEqual(['pending-long']);
    expect(actions.map(({ action }) => action)).toEqual(['alert']);
    expect(await detectorsIn('healthy-short-queue')).toEqual([]);
  });

  // rule HR-47
  it('raises an alarm for a loss half above the trend for ten steps, but not for three', async () => {
    expect(await detectorsIn('fault-loss-spike')).toEqual(['loss-spike']);
    expect(await detectorsIn('healthy-short-spikes')).toEqual([]);
  });

  it('raises an alarm for lost numbers immediately, without a relaunch', async () => {
    const { alarms, actions } = await played('fault-nan');
    expect(alarms.map(({ detector }) => detector)).toEqual(['nan']);
    expect(actions.map(({ action }) => action)).not.toContain('relaunch');
    expect(await detectorsIn('fault-gradient-norm')).toEqual(['gradient-norm']);
    expect(await detectorsIn('fault-router-collapse')).toEqual(['router-collapse']);
    expect(await detectorsIn('fault-z-loss')).toEqual(['z-loss']);
  });
});
