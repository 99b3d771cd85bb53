/**
 * What `npm start -- --lane hero` adds to the example lab: a lane, the training script, and a second approver.
 */

import { readFile } from 'node:fs/promises';
import type { SeedInput } from '../seed-lab.ts';
import { TRAINING } from './story.ts';

export const HERO_LANE = 'hero';

/** The seed of the lab. Throws if the example config has changed. */
export async function heroSeed(): Promise<NonNullable<SeedInput['cluster']>> {
  const training = await readFile(new URL('hero.py', import.meta.url), 'utf8');
  return { token: null, configure: addHeroLane, files: { [TRAINING]: training }, roles: { ravi: 'maintain' } };
}

function addHeroLane(config: string): string {
  const free = '\n  quorumByCost: []\n';
  if (!config.includes(free)) throw new Error('the example config has no quorumByCost');
  return `${config.replace(free, QUORUM).trimEnd()}\n${LANE}`;
}

/** The cost of a run on the cluster, by its table, requires this quorum. */
const QUORUM = `
  quorumByCost:
    - { fromAcceleratorHours: '0.01', people: 2 }
`;

const LANE = `  ${HERO_LANE}:
    # A run that is begun from the contract in an issue, by the form "Hero run".
    kind: hero
    cluster: us-central1
    ships: [experiments, lib]
    tracker: { kind: none, entity: '', project: '' }
    # What a later run of the lane is compared with.
    metrics: [{ key: eval/loss, better: lower, tolerancePercent: '10' }]
    # How often it is started again without another approval.
    restartsMax: 1
    # The folder of this rehearsal may be a temporary one.
    temporaryRoots: []
    # A run of weeks is looked at every quarter of an hour; this one of minutes every two seconds.
    cadence: { startupMs: 2000, pollMs: 2000, alertMs: 2000 }
`;
