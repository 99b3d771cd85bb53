/** The offer that a launch would take, read before anything is rented. */

import { afterEach, expect, it } from 'vitest';
import { createVastEngine } from '../../src/engines/vast/engine.ts';
import { submitTo } from '../support/capabilities.ts';
import { openVastBench, type VastBench } from '../support/vast-bench.ts';

let bench: VastBench;
afterEach(() => bench.end());

it('is the cheapest that fits, rents nothing, and is what a launch takes', async () => {
  bench = await openVastBench();
  expect(await bench.engine.rented?.offer()).toEqual({
    kind: 'read',
    offer: { offer: 103, machine: '13', gpu: 'RTX 4090', gpus: 1, microdollarsPerHour: 366_250 },
  });
  expect(bench.vast.account.list()).toEqual([]);
  await submitTo(bench.engine, bench.spec('sleep 1'));
  expect(bench.vast.account.list().map(({ offer }) => offer.id)).toEqual([103]);
});

it('is none where nothing fits, and unknown where the market does not answer', async () => {
  bench = await openVastBench({ dollarsPerHourMax: '0.10' });
  expect(await bench.engine.rented?.offer()).toEqual({ kind: 'read', offer: null });
  const keyless = createVastEngine({ ...bench.options, key: null });
  expect(await keyless.rented?.offer()).toMatchObject({ kind: 'unknown' });
});
