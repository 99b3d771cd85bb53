// How the campaign is asked whether it finds that a defence is gone: the first sequence that breaks a promise.

import { describe, expect, it } from 'vitest';
import { known } from '../../src/domain/values.ts';
import type { Outcome } from './outcome.ts';

/** The defences that are gone now: the stand-ins below, and those of a test file, ask here. */
export const gone = new Set<string>();

/** Stand-ins for modules of src, by the defence that each takes out. */
export const WITHOUT = {
  interested: (real: typeof import('../../src/run/authors.ts')): typeof real => ({
    ...real,
    interestedIn: (...asked) => (gone.has('who asked is interested') ? [] : real.interestedIn(...asked)),
  }),
  brakes: (real: typeof import('../../src/app/brakes.ts')): typeof real => ({
    ...real,
    gatherBrakes: (...asked) =>
      gone.has('brakes in the threads') ? Promise.resolve(known([])) : real.gatherBrakes(...asked),
  }),
  earlierJobs: (real: typeof import('../../src/actions/earlier-jobs.ts')): typeof real => ({
    ...real,
    earlierJobFault: (...asked) =>
      gone.has('a look at earlier jobs') ? Promise.resolve(null) : real.earlierJobFault(...asked),
  }),
  restarts: (real: typeof import('../../src/domain/launch/relaunch.ts')): typeof real => ({
    ...real,
    restartsLeft: (state) => (gone.has('restarts that were approved') ? 9 : real.restartsLeft(state)),
  }),
};

/** Other moves come between, and some of them spoil the attack: one of so many sequences has to find it. */
const SEEDS = Number(process.env['PERMISSIVE_SEEDS'] ?? 6);

/** The first sequence that breaks a promise, by its seed; null where none of so many does. */
async function firstBroken(play: (seed: number) => Promise<Outcome>, seeds: number): Promise<Outcome | null> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const outcome = await play(seed);
    if (outcome.faults.length > 0) return outcome;
  }
  return null;
}

/** Without each of these defences (or several that catch the same attack one behind the other) its attack breaks a promise. */
export function showDefences<Attack>(
  defences: readonly (readonly [gone: readonly string[], attack: Attack])[],
  play: (seed: number, attack: Attack) => Promise<Outcome>,
): void {
  describe.each(defences)('without %o, %j', (without, attack) => {
    it('breaks a promise, and with it none', async () => {
      for (const defence of without) gone.add(defence);
      const found = await firstBroken((seed) => play(seed, attack), SEEDS);
      gone.clear();
      expect(found, 'the campaign does not see that the defence is gone').not.toBeNull();
      expect(await firstBroken((seed) => play(seed, attack), found?.seed ?? 0)).toBeNull();
    });
  });
}
