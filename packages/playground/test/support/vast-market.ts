/** Offers of a small market, and a simulated Vast.ai on a clock that a test moves. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOffsetClock, type OffsetClock } from '../../http/offset-clock.ts';
import type { Offer } from '../../vast/offers.ts';
import { openVast, type VastOptions, type VastServer } from '../../vast/server.ts';

const COMMON = {
  gpu_name: 'RTX 4090',
  num_gpus: 1,
  gpu_ram: 24_564,
  cpu_ram: 64_000,
  disk_space: 400,
  reliability2: 0.995,
  score: 100,
  verified: true,
  external: false,
  dph_base: 0.36,
  storage_cost: 0.15,
  inet_up_cost: 0.01,
  inet_down_cost: 0.005,
  min_bid: 0.2,
} as const;

/** The cheapest suitable offer is 103; 101 is unreliable, 102 small, 104 expensive, 105 another GPU. */
export const OFFERS: readonly Offer[] = [
  { ...COMMON, id: 101, machine_id: 11, host_id: 1, reliability2: 0.8, dph_base: 0.2 },
  { ...COMMON, id: 102, machine_id: 12, host_id: 1, cpu_ram: 16_000, dph_base: 0.25 },
  { ...COMMON, id: 103, machine_id: 13, host_id: 2 },
  { ...COMMON, id: 104, machine_id: 14, host_id: 3, dph_base: 0.9 },
  { ...COMMON, id: 105, machine_id: 15, host_id: 4, gpu_name: 'H100 SXM', gpu_ram: 81_559, dph_base: 2.1 },
  { ...COMMON, id: 106, machine_id: 16, host_id: 5, dph_base: 0.4 },
];

/** A server, its clock, and its files on this machine; `end` removes them. */
export type VastLab = {
  readonly vast: VastServer;
  readonly clock: OffsetClock;
  /** A request as the account's owner: returns the status and the parsed body. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>;
  /** Waits until an instance has that state; moves the clock over states that only take time. */
  readonly until: (id: number, status: string) => Promise<void>;
  readonly end: () => Promise<void>;
};

export async function openVastLab(options: Partial<VastOptions> = {}): Promise<VastLab> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-vast-'));
  const clock = createOffsetClock();
  const vast = await openVast({ clock, folder, offers: OFFERS, ...options });
  const ask: VastLab['ask'] = async (method, path, body) => {
    const response = await fetch(`${vast.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${vast.key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return {
    vast,
    clock,
    ask,
    until: async (id, status) => {
      for (let attempt = 0; attempt < 600; attempt += 1) {
        if (vast.account.find(id)?.actual === status) return;
        clock.advance(1_000);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error(`instance ${id} is ${vast.account.find(id)?.actual ?? 'gone'} and not ${status}`);
    },
    end: async () => {
      await vast.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
