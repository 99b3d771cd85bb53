/** What the market of the rehearsed Vast.ai has before anything is rented: the offer that a launch would take. */

import { afterEach, expect, it } from 'vitest';
import { createVastEngine } from '../../src/engines/vast/engine.ts';
import { submitTo } from '../support/capabilities.ts';
import { openVastBench, type VastBench } from '../support/vast-bench.ts';

let bench: VastBench;
afterEach(() => bench.end());

it('names the cheapest that fits with all that decides about it, rents nothing, and is what a launch takes', async () => {
  bench = await openVastBench();
  expect(await bench.engine.rented?.market()).toEqual({
    kind: 'read',
    market: {
      fits: 2,
      unfit: {},
      offer: {
        ...{ offer: 103, machine: '13', gpu: 'RTX 4090', gpus: 1, vramGb: 24, ramGb: 64, diskGb: 400 },
        ...{ reliability: '0.995', microdollarsPerHour: 366_250 },
      },
    },
  });
  expect(bench.vast.account.list()).toEqual([]);
  await submitTo(bench.engine, bench.spec('sleep 1'));
  expect(bench.vast.account.list().map(({ offer }) => offer.id)).toEqual([103]);
});

it('says that nothing fits, and of a market that does not answer that nobody knows', async () => {
  bench = await openVastBench({ dollarsPerHourMax: '0.10' });
  expect(await bench.engine.rented?.market()).toEqual({
    kind: 'read',
    market: { fits: 0, unfit: {}, offer: null },
  });
  const keyless = createVastEngine({ ...bench.options, key: null });
  expect(await keyless.rented?.market()).toMatchObject({ kind: 'unknown' });
});
