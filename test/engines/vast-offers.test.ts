/** Which offers fit: the hard requirements and the price, and nothing else. */

import { expect, it } from 'vitest';
import { chooseOffers, explainChoice, findUnfitReason, type Offer, readOffer } from '../../src/engines/vast/market.ts';
import { vastCluster } from '../support/vast-bench.ts';

const NEEDS = vastCluster('https://console.vast.ai');
const GOOD: Offer = {
  id: 1,
  machine_id: 9,
  gpu_name: 'RTX 4090',
  num_gpus: 1,
  gpu_ram: 24_077,
  cpu_ram: 64_000,
  disk_space: 30,
  reliability2: 0.98,
  dph_total: 0.5,
};

// rule VA-06
it('checks card, memory, disk, reliability and price, and names the first requirement that is not met', () => {
  const why = (change: Partial<Offer>): string | null => findUnfitReason({ ...GOOD, ...change }, NEEDS);
  expect(why({})).toBeNull();
  expect(why({ gpu_name: 'RTX 3090' })).toBe('card');
  expect(why({ num_gpus: 2 })).toBe('card');
  expect(why({ gpu_ram: 22_000 })).toBe('vram');
  expect(why({ cpu_ram: 30_000 })).toBe('ram');
  expect(why({ disk_space: 29 })).toBe('disk');
  expect(why({ reliability2: 0.979 })).toBe('reliability');
  expect(why({ dph_total: 0.5001 })).toBe('price');
});

const offerAmong = (offers: readonly object[]) =>
  readOffer({
    cluster: NEEDS,
    key: 'a-key',
    now: Date.now,
    sleep: async () => undefined,
    fetch: async () => Response.json({ success: true, offers }),
  });

// threat T232
it.each([
  ['no reliability', { reliability2: null }],
  ['an impossible amount of memory', { cpu_ram: 1e300 }],
  ['a negative price', { dph_total: -1 }],
])('skips an offer with %s, and reads the other offers', async (_what, odd) => {
  const read = await offerAmong([{ ...GOOD, id: 2, dph_total: 0.1, ...odd }, GOOD]);
  expect(read).toMatchObject({ kind: 'read', offer: { offer: 1 } });
  expect((await offerAmong([{ ...GOOD, ...odd }])).kind).toBe('unknown');
});

it('picks the cheapest fitting offer, then the more reliable one, and explains the choice', () => {
  const offers: readonly Offer[] = [
    { ...GOOD, id: 1 },
    { ...GOOD, id: 2, dph_total: 0.4 },
    { ...GOOD, id: 3, dph_total: 0.4, reliability2: 0.999 },
    { ...GOOD, id: 4, dph_total: 0.1, disk_space: 8 },
  ];
  const choice = chooseOffers(offers, NEEDS);
  expect(choice.fitting.map(({ id }) => id)).toEqual([3, 2, 1]);
  expect(explainChoice(choice.fitting[0] ?? GOOD, choice)).toBe(
    'offer 3 of machine 9; $0.40 an hour; reliability 0.999; the cheapest of 3 that fit; left out: 1 with too little disk',
  );
});
