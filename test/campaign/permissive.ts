// Checks that the campaign detects a missing defence: finds the first sequence that breaks a promise.

import { describe, expect, it } from 'vitest';
import { known } from '../../src/domain/values.ts';
import type { Outcome } from './outcome.ts';

/** The removed defences; the stand-ins below and in test files check this set. */
export const gone = new Set<string>();

/** Stand-ins for modules of src, by the defence that each removes. */
export const WITHOUT = {
  interested: (real: typeof import('../../src/run/authors.ts')): typeof real => ({
    ...real,
    listInterestedPeople: (...asked) =>
      gone.has('who asked is interested') ? [] : real.listInterestedPeople(...asked),
  }),
  brakes: (real: typeof import('../../src/app/brakes.ts')): typeof real => ({
    ...real,
    gatherBrakes: (...asked) =>
      gone.has('brakes in the threads') ? Promise.resolve(known([])) : real.gatherBrakes(...asked),
  }),
  earlierJobs: (real: typeof import('../../src/actions/earlier-jobs.ts')): typeof real => ({
    ...real,
    findEarlierJobFault: (...asked) =>
      gone.has('a look at earlier jobs') ? Promise.resolve(null) : real.findEarlierJobFault(...asked),
  }),
  restarts: (real: typeof import('../../src/domain/launch/next-attempt.ts')): typeof real => ({
    ...real,
    restartsLeft: (state) => (gone.has('restarts that were approved') ? 9 : real.restartsLeft(state)),
  }),
};

/** Other moves may spoil the attack, so one of this many sequences has to break a promise. */
const SEEDS = Number(process.env['PERMISSIVE_SEEDS'] ?? 6);

/** The first sequence that breaks a promise, by its seed; null if none of them does. */
async function firstBroken(play: (seed: number) => Promise<Outcome>, seeds: number): Promise<Outcome | null> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const outcome = await play(seed);
    if (outcome.faults.length > 0) return outcome;
  }
  return null;
}

/** Without each of these defences (or several that stop the same attack), its attack breaks a promise. */
export function showDefences<Attack>(
  defences: readonly (readonly [gone: readonly string[], attack: Attack])[],
  play: (seed: number, attack: Attack) => Promise<Outcome>,
): void {
  describe.each(defences)('without %o, %j', (without, attack) => {
    it('breaks a promise, and breaks none with the defence', async () => {
      for (const defence of without) gone.add(defence);
      const found = await firstBroken((seed) => play(seed, attack), SEEDS);
      gone.clear();
      expect(found, 'the campaign does not see that the defence is gone').not.toBeNull();
      expect(await firstBroken((seed) => play(seed, attack), found?.seed ?? 0)).toBeNull();
    });
  });
}
