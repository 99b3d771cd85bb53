// Sequences of the rental scene.

import { answerDelayMs } from './checker-answers.ts';
import { findRentalFaults } from './checker-rental.ts';
import type { Outcome } from './outcome.ts';
import { openRentalScene, type RentalOptions } from './rental.ts';
import { RENTAL_MOVES } from './rental-moves.ts';

const MINUTE = 60_000;

/** Plays the sequence of this seed, with the requested moves instead of random ones. */
export async function playRental(seed: number, asked: RentalOptions = {}): Promise<Outcome> {
  const scene = await openRentalScene(seed, asked);
  const { random, lab } = scene;
  const names = Object.keys(RENTAL_MOVES);
  const moves = asked.moves ?? [
    ...(random.chance(0.4) ? [random.pick(names)] : []),
    ...(random.chance(0.8) ? ['mira approves'] : []),
    ...Array.from({ length: 1 + random.below(5) }, () => (random.chance(0.2) ? 'time passes' : random.pick(names))),
  ];
  try {
    for (const name of moves) {
      await lab.clock.advance(random.below(3 * MINUTE));
      await RENTAL_MOVES[name]?.(scene);
    }
    lab.world.state.settings.drop = 'none';
    await lab.clock.advance(answerDelayMs(scene) + 6 * MINUTE);
    const faults = await findRentalFaults(scene);
    const what = `${scene.course} (${scene.askedBy})`;
    return { seed, faults, starts: scene.starts.length, moves: [what, ...moves] };
  } finally {
    await lab.close();
  }
}
