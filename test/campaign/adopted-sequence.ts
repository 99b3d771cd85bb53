// Sequences of the adoption scene.

import { logbookText } from '../support/play.ts';
import { type AdoptedOptions, openAdoptedScene } from './adopted.ts';
import { ADOPTED_MOVES } from './adopted-moves.ts';
import { findAdoptedFaults } from './checker-adopted.ts';
import { answerDelayMs } from './checker-answers.ts';
import type { Outcome } from './outcome.ts';

const MINUTE = 60_000;

/** Plays the sequence of this seed, with the requested moves instead of random ones. */
export async function playAdopted(seed: number, asked: AdoptedOptions = {}): Promise<Outcome> {
  const scene = await openAdoptedScene(seed, asked);
  const { random, lab } = scene;
  const names = Object.keys(ADOPTED_MOVES);
  const moves = asked.moves ?? [
    ...(random.chance(0.3) ? [random.pick(names)] : []),
    ...(random.chance(0.8) ? ['the asker accepts'] : []),
    ...(random.chance(0.5) ? ['time passes', 'time passes', 'mira approves'] : []),
    ...Array.from({ length: 2 + random.below(5) }, () => (random.chance(0.25) ? 'time passes' : random.pick(names))),
  ];
  const note = async (): Promise<void> => {
    scene.texts.push({ atMs: lab.clock.now(), text: await logbookText(lab, scene.run) });
  };
  try {
    for (const name of moves) {
      await lab.clock.advance(random.below(3 * MINUTE));
      await note();
      await ADOPTED_MOVES[name]?.(scene);
    }
    lab.world.state.settings.drop = 'none';
    await lab.clock.advance(answerDelayMs(scene) + 6 * MINUTE);
    await note();
    const faults = await findAdoptedFaults(scene);
    const what = `${scene.course} (${scene.asker})`;
    return { seed, faults, starts: scene.starts.length, moves: [what, ...moves] };
  } finally {
    await lab.close();
  }
}
