// Sequences of the care scenes.

import { logbookText } from '../support/play.ts';
import { CARE_MOVES, openCareScene } from './care.ts';
import { CHANGES, type Change } from './care-labs.ts';
import { findCareFaults } from './checker-care.ts';
import type { Outcome } from './outcome.ts';

const MINUTE = 60_000;
const HONEST = 'mira consents';

/** These moves on this change instead of random ones. */
export type CareOptions = { readonly change: Change; readonly moves: readonly string[] };

/** Plays the sequence of this seed. */
export async function playCare(seed: number, asked: CareOptions | null = null): Promise<Outcome> {
  const change = asked?.change ?? CHANGES[Math.floor(seed / 8) % CHANGES.length] ?? 'node';
  const scene = await openCareScene(seed, change);
  const { random, lab } = scene;
  const names = Object.keys(CARE_MOVES);
  const moves =
    asked?.moves ??
    Array.from({ length: 2 + random.below(4) }, () =>
      // A change without consent is never executed, and tests nothing.
      random.chance(0.35) ? HONEST : random.pick(names),
    );
  try {
    for (const name of moves) {
      await lab.clock.advance(random.below(4 * MINUTE));
      await CARE_MOVES[name]?.(scene);
      scene.texts.push(await logbookText(lab, scene.record));
    }
    lab.world.state.settings.drop = 'none';
    await lab.clock.advance(15 * MINUTE);
    scene.texts.push(await logbookText(lab, scene.record));
    scene.look();
    return { seed, faults: findCareFaults(scene), starts: scene.calls.length, moves: [change, ...moves] };
  } finally {
    await scene.leave();
  }
}
