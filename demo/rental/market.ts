/** The market of `npm start -- --lane rental`: a Vast.ai on this machine with real processes as instances. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOffsetClock } from '../../packages/playground/http/offset-clock.ts';
import type { Offer } from '../../packages/playground/vast/offers.ts';
import { openVast, type VastServer } from '../../packages/playground/vast/server.ts';
import type { LabFolder } from '../lab-folder.ts';
import type { RehearsalCluster } from '../rehearsal-cluster.ts';

/** The lane, its rental cluster, and the lab's training script for it. */
export const RENTAL_LANE = 'gpu';
const TRAINING = 'experiments/finetune.py';

const CARD = {
  gpu_name: 'RTX 4090',
  num_gpus: 1,
  gpu_ram: 24_564,
  cpu_ram: 64_000,
  disk_space: 400,
  reliability2: 0.995,
  score: 100,
  verified: true,
  external: false,
  storage_cost: 0.15,
  inet_up_cost: 0.01,
  inet_down_cost: 0.005,
  min_bid: 0.2,
} as const;

/** The cheapest offer is unreliable, the next is the cheapest suitable one, and the last is too expensive. */
const OFFERS: readonly Offer[] = [
  { ...CARD, id: 101, machine_id: 11, host_id: 1, dph_base: 0.2, reliability2: 0.8 },
  { ...CARD, id: 102, machine_id: 12, host_id: 2, dph_base: 0.36 },
  { ...CARD, id: 103, machine_id: 13, host_id: 3, dph_base: 0.4 },
  { ...CARD, id: 104, machine_id: 14, host_id: 4, dph_base: 0.9 },
];

/** A machine is ready within seconds, so that the whole story takes seconds. */
const TIMING = { provisionMs: 1_000, createMs: 1_000, loadMs: 2_000, destroyMs: 500 };

export type Market = { readonly cluster: RehearsalCluster; readonly vast: VastServer };

/** Opens the market. A kept lab does not keep its machines, because they would run without a watch. */
export async function openMarket(folder: LabFolder): Promise<Market> {
  const vast = await openVast({
    clock: createOffsetClock(),
    folder: join(folder.root, 'machines'),
    offers: OFFERS,
    timing: TIMING,
  });
  const training = await readFile(new URL('finetune.py', import.meta.url), 'utf8');
  return {
    vast,
    cluster: {
      seed: {
        token: vast.key,
        tokenName: 'VAST_API_KEY',
        configure: (config) => addRentals(config, vast.url),
        files: { [TRAINING]: training },
      },
      close: async () => {
        await vast.close();
        return null;
      },
    },
  };
}

/** The example config with a cluster that rents here, and a lane on it. Throws if the config is not the example's. */
function addRentals(config: string, api: string): string {
  if (!config.includes('\nclusters:\n')) throw new Error('the example config has no clusters');
  return `${config.replace('\nclusters:\n', `\nclusters:\n${clusterConfig(api)}`).trimEnd()}\n${LANE}`;
}

function clusterConfig(api: string): string {
  return `  market:
    engine: vast
    api: ${api}
    # Stands in the label of every machine of this lab: what has it is ours.
    fleet: lab
    image: pytorch/pytorch@sha256:${'a'.repeat(64)}
    gpu: RTX 4090
    vramGb: 24
    ramGb: 32
    # What may be rented at all: an issue can ask for less.
    dollarsPerHourMax: '0.50'
    dollarsMax: '5'
    hoursMax: 2
    acceleratorHoursPerRun: '2'
`;
}

const LANE = `  ${RENTAL_LANE}:
    # A run on a machine that is rented for it, begun with \`/rent\` in an issue.
    kind: rental
    cluster: market
    ships: [experiments, lib]
    tracker: { kind: none, entity: '', project: '' }
    # What a contract says where its issue and \`/rent\` say nothing.
    defaults:
      command: LAB_STEP_DELAY_MS=60 python3 ${TRAINING} --max-steps 900 --batch-size 32
      objective: lower eval/loss
      kill: a loss above 5 after step 450
      reductions: --batch-size 16; --batch-size 8
    cadence: { startupMs: 2000, pollMs: 2000, alertMs: 2000 }
`;
