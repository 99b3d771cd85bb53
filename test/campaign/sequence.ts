// One sequence of the campaign: honest people and attackers take turns, then there is quiet, and the checker looks.

import { ATTACKS, type Attack } from './attacks.ts';
import { faultsOf } from './checker.ts';
import { approve, askStatus, brake, pass, release } from './honest.ts';
import { openScene, type Scene } from './scene.ts';
import { STOLEN_KEYS } from './stolen-keys.ts';

const MINUTE = 60_000;

/** What came of a sequence: the promises that it broke, and what happened in it. */
export type Outcome = {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly starts: number;
  readonly moves: readonly string[];
};

/** Plays the sequence of this seed. */
export async function playSequence(seed: number): Promise<Outcome> {
  const scene = await openScene(seed);
  const moves: string[] = [];
  try {
    const count = 3 + scene.random.below(8);
    for (let index = 0; index < count; index += 1) {
      await pass(scene, waitMs(scene));
      moves.push(await move(scene));
    }
    scene.lab.world.state.settings.drop = 'none';
    // Two sweeps and every patience.
    for (let index = 0; index < 2; index += 1) await pass(scene, 20 * MINUTE);
    const faults = await faultsOf(scene);
    return { seed, faults, starts: scene.starts.length, moves };
  } finally {
    await scene.lab.close();
  }
}

/** Mostly moments, now and then long enough for a sweep, a lapsed order or an old approval. */
function waitMs({ random }: Scene): number {
  if (random.chance(0.015)) return random.below(7 * 60 * MINUTE);
  return random.chance(0.2) ? random.below(40 * MINUTE) : random.below(90_000);
}

async function move(scene: Scene): Promise<string> {
  const { random } = scene;
  const drawn = random.below(100);
  if (drawn < 24) return honestly(scene, 'mira approves', () => approve(scene, 'mira'));
  if (drawn < 30) return honestly(scene, 'noor approves', () => approve(scene, 'noor'));
  if (drawn < 42) {
    const kind = random.pick(['hold', 'stop', 'freeze', 'revoke'] as const);
    return honestly(scene, kind, () => brake(scene, kind));
  }
  if (drawn < 48) {
    const kind = random.pick(['hold', 'freeze'] as const);
    return honestly(scene, `release ${kind}`, () => release(scene, kind));
  }
  if (drawn < 52) return honestly(scene, 'asks', () => askStatus(scene));
  return attack(scene, random.pick(drawn < 85 ? ATTACKS : STOLEN_KEYS));
}

async function honestly(_scene: Scene, what: string, act: () => Promise<void>): Promise<string> {
  await act();
  return what;
}

async function attack(scene: Scene, { what, act }: Attack): Promise<string> {
  await act(scene);
  scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what });
  return what;
}
