/**
 * What `npm start -- --lane adopted` adds to the example lab: an experiment with a bug, and a lane that may fix one.
 */

import { readFile } from 'node:fs/promises';
import { addPeoplesLane } from '../own-job/people-lane.ts';
import type { SeedInput } from '../seed-lab.ts';

export const ADOPTED_LANE = 'people';
/** It uses a module that it does not import, after its last step. */
export const SWEEP = 'experiments/sweep.py';

/** The seed of the lab. Throws if the example config has changed. */
export async function adoptedSeed(): Promise<NonNullable<SeedInput['cluster']>> {
  const sweep = await readFile(new URL('sweep.py', import.meta.url), 'utf8');
  return {
    token: null,
    configure: (config) => `${addPeoplesLane(config)}${MENDS}`,
    files: { [SWEEP]: sweep },
    // The person who requests the watch contributes to the relaunch, so another person must approve it.
    roles: { ravi: 'maintain' },
  };
}

const MENDS = `    # A slip in these files is put right on a branch of its own; whoever approves it has it launched.
    fixScope: [experiments]
`;
