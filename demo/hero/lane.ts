/** What `npm start -- --lane hero` adds to the example lab: a lane, the training of its run, the form of its contract, and a second person who may approve. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from '../beside.ts';
import type { SeedInput } from '../seed-lab.ts';
import { TEMPLATE, TRAINING } from './story.ts';

export const HERO_LANE = 'hero';

/** The seed of the lab. Throws where the example config is not as it was. */
export async function heroSeed(): Promise<NonNullable<SeedInput['cluster']>> {
  const training = await readFile(new URL('hero.py', import.meta.url), 'utf8');
  const form = await readFile(join(PROJECT, `.github/ISSUE_TEMPLATE/${TEMPLATE}`), 'utf8');
  return {
    token: null,
    configure: withHeroes,
    files: { [TRAINING]: training, [`.github/ISSUE_TEMPLATE/${TEMPLATE}`]: form },
    roles: { ravi: 'maintain' },
  };
}

function withHeroes(config: string): string {
  const free = '\n  quorumByCost: []\n';
  if (!config.includes(free)) throw new Error('the example config has no quorumByCost');
  return `${config.replace(free, QUORUM).trimEnd()}\n${LANE}`;
}

/** What a run of the cluster costs by its table reaches it. */
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
    # A run of weeks is looked at every quarter of an hour; this one of minutes every two seconds.
    cadence: { startupMs: 2000, pollMs: 2000, alertMs: 2000 }
`;
