// Sequences of the care scene.

import { CARE_MOVES, openCareScene } from './care.ts';
import { careFaultsOf } from './checker-care.ts';
import type { Outcome } from './outcome.ts';

const MINUTE = 60_000;

/** Plays the sequence of this seed; `moves` are these instead of random ones. */
export async function playCare(seed: number, asked: readonly string[] | null = null): Promise<Outcome> {
  const scene = await openCareScene(seed);
  const { random, lab } = scene;
  const names = Object.keys(CARE_MOVES);
  const moves = asked ?? Array.from({ length: 2 + random.below(4) }, () => random.pick(names));
  try {
    for (const name of moves) {
      await lab.clock.advance(random.below(4 * MINUTE));
      await CARE_MOVES[name]?.(scene);
    }
    lab.world.state.settings.drop = 'none';
    await lab.clock.advance(15 * MINUTE);
    return { seed, faults: careFaultsOf(scene), starts: scene.deletions.length, moves };
  } finally {
    await lab.close();
  }
}
