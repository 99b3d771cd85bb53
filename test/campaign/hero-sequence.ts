// Sequences of the hero scene.

import { logbookText } from '../support/play.ts';
import { answerDelayMs } from './checker-answers.ts';
import { findHeroFaults } from './checker-hero.ts';
import { type AskedHero, openHeroScene } from './hero.ts';
import { HERO_MOVES } from './hero-moves.ts';
import type { Outcome } from './outcome.ts';

const MINUTE = 60_000;

/** Plays the sequence of this seed, with the requested moves instead of random ones. */
export async function playHero(seed: number, asked: AskedHero = {}): Promise<Outcome> {
  const scene = await openHeroScene(seed, asked);
  const { random, lab } = scene;
  const names = Object.keys(HERO_MOVES);
  const moves = asked.moves ?? [
    ...(random.chance(0.3) ? [random.pick(names)] : []),
    // A DRI named by another user accepts first.
    ...(scene.dri !== scene.askedBy && random.chance(0.9) ? ['noor accepts'] : []),
    ...(random.chance(0.85) ? ['mira approves'] : []),
    ...Array.from({ length: 2 + random.below(6) }, () => (random.chance(0.3) ? 'time passes' : random.pick(names))),
  ];
  try {
    for (const name of moves) {
      await lab.clock.advance(random.below(3 * MINUTE));
      await HERO_MOVES[name]?.(scene);
      scene.cleanUp.texts.push(await logbookText(lab, scene.run));
    }
    lab.world.state.settings.drop = 'none';
    await lab.clock.advance(answerDelayMs(scene) + 6 * MINUTE);
    scene.cleanUp.texts.push(await logbookText(lab, scene.run));
    const faults = await findHeroFaults(scene);
    const what = `${scene.course} (${scene.askedBy} for ${scene.dri})`;
    return { seed, faults, starts: scene.starts.length, moves: [what, ...moves] };
  } finally {
    await scene.leave();
  }
}
