/** What the hero policy wants told of a run while it runs, played through the watch. */

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

describe('a run that is watched', () => {
  // rule HR-40
  it('is told of when it stays two fifths slower, and not when it dips', async () => {
    expect(await detectorsIn('fault-throughput-collapse')).toEqual(['throughput-collapse']);
    expect(await detectorsIn('healthy-throughput-dips')).toEqual([]);
  });

  // rule HR-42
  it('is told of after half an hour in the queue, and nothing is done about it', async () => {
    const { alarms, actions } = await played('fault-pending-long');
    expect(alarms.map(({ detector }) => detector)).toEqual(['pending-long']);
    expect(actions.map(({ action }) => action)).toEqual(['alert']);
    expect(await detectorsIn('healthy-short-queue')).toEqual([]);
  });

  // rule HR-47
  it('is told of when its loss is half above the trend for ten steps, and not for three', async () => {
    expect(await detectorsIn('fault-loss-spike')).toEqual(['loss-spike']);
    expect(await detectorsIn('healthy-short-spikes')).toEqual([]);
  });

  it('is told of at once when its numbers are lost, and is not started again for it', async () => {
    const { alarms, actions } = await played('fault-nan');
    expect(alarms.map(({ detector }) => detector)).toEqual(['nan']);
    expect(actions.map(({ action }) => action)).not.toContain('relaunch');
    expect(await detectorsIn('fault-gradient-norm')).toEqual(['gradient-norm']);
    expect(await detectorsIn('fault-router-collapse')).toEqual(['router-collapse']);
    expect(await detectorsIn('fault-z-loss')).toEqual(['z-loss']);
  });
});
