// One sequence of the campaign: honest people and attackers take turns, then there is quiet, and the checker
// runs.

import { createRandom } from '../support/random.ts';
import { playAdopted } from './adopted-sequence.ts';
import { ATTACKS, type Attack } from './attacks.ts';
import { playCare } from './care-sequence.ts';
import { findFaults } from './checker.ts';
import { answerDelayMs } from './checker-answers.ts';
import { playHero } from './hero-sequence.ts';
import {
  approve,
  approveByReview,
  askStatus,
  brake,
  brakeInOtherThread,
  passTime,
  release,
  unholdInOtherThread,
} from './honest.ts';
import type { Outcome } from './outcome.ts';
import { playRental } from './rental-sequence.ts';
import { SCENARIOS } from './scenarios.ts';
import { openScene, type Scene } from './scene.ts';
import type { Scenario } from './steps.ts';
import { STOLEN_KEYS } from './stolen-keys.ts';

const MINUTE = 60_000;
const CARE_EVERY = 8;
/** One in this many seeds belongs to each of the special scenes, by the remainder. */
const ROUND = 16;
const RENTAL = 4;
const HERO_RUN = 10;
const ADOPTED = 14;

/**
 * Plays the sequence of this seed: random moves, sometimes a scenario; some seeds play the care, rental, hero
 * and adoption scenes.
 */
export async function playSequence(seed: number): Promise<Outcome> {
  if (seed % CARE_EVERY === 0) return playCare(seed);
  if (seed % ROUND === RENTAL) return playRental(seed);
  if (seed % ROUND === HERO_RUN) return playHero(seed);
  if (seed % ROUND === ADOPTED) return playAdopted(seed);
  const random = createRandom(seed);
  const scenario = random.chance(0.4) ? random.pick(SCENARIOS) : null;
  const scene = await openScene(seed, random, scenario?.wants ?? {});
  return finishSequence(scene, async (moves) => {
    const count = 3 + random.below(scenario === null ? 8 : 4);
    const turn = random.below(count);
    for (let index = 0; index < count; index += 1) {
      await passTime(scene, waitMs(scene));
      if (scenario !== null && index === turn) await play(scene, scenario, moves, 0.3);
      else moves.push(await move(scene));
    }
  });
}

/** A scenario with hardly any other moves. */
export function playScenario(seed: number, what: string): Promise<Outcome> {
  const scenario = SCENARIOS.find((one) => one.what === what);
  if (scenario === undefined) throw new Error(`there is no scenario ${what}`);
  return playScenarioAlone(seed, scenario);
}

/** The same with a scenario that is in no list, to keep the campaign's seeds unchanged. */
export async function playScenarioAlone(seed: number, scenario: Scenario): Promise<Outcome> {
  const random = createRandom(seed);
  const scene = await openScene(seed, random, { quorum: 1, ...scenario.wants });
  return finishSequence(scene, async (moves) => play(scene, scenario, moves, 0.1));
}

async function play(scene: Scene, { what, act }: Scenario, moves: string[], fillers: number): Promise<void> {
  moves.push(`${what}:`);
  if (what.startsWith('control key')) scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what });
  await act(scene, async (ms) => {
    await passTime(scene, ms);
    if (scene.random.chance(fillers)) moves.push(await move(scene));
  });
  moves.push('that was it');
}

async function finishSequence(scene: Scene, act: (moves: string[]) => Promise<void>): Promise<Outcome> {
  const moves: string[] = [];
  try {
    await act(moves);
    scene.lab.world.state.settings.drop = 'none';
    scene.lab.world.state.settings.faults = [];
    await passTime(scene, answerDelayMs(scene) + 5 * MINUTE);
    const faults = await findFaults(scene);
    return { seed: scene.seed, faults, starts: scene.starts.length, moves };
  } finally {
    await scene.lab.close();
  }
}

/** Mostly short waits, sometimes long enough for a sweep, an expired order or an old approval. */
function waitMs({ random }: Scene): number {
  if (random.chance(0.015)) return random.below(7 * 60 * MINUTE);
  return random.chance(0.2) ? random.below(40 * MINUTE) : random.below(90_000);
}

async function move(scene: Scene): Promise<string> {
  const { random } = scene;
  const drawn = random.below(100);
  if (drawn < 20) return recordHonestMove(scene, 'mira approves', () => approve(scene, 'mira'));
  if (drawn < 24) return recordHonestMove(scene, 'mira reviews', async () => review(scene));
  if (drawn < 30) return recordHonestMove(scene, 'noor approves', () => approve(scene, 'noor'));
  if (drawn === 41) {
    const kind = random.pick(['hold', 'stop', 'revoke'] as const);
    return recordHonestMove(scene, `${kind} elsewhere`, () => brakeInOtherThread(scene, kind));
  }
  if (drawn === 47) return recordHonestMove(scene, 'unhold elsewhere', () => unholdInOtherThread(scene));
  if (drawn < 42) {
    const kind = random.pick(['hold', 'stop', 'hold lane', 'revoke', 'hold date'] as const);
    return recordHonestMove(scene, kind, () => brake(scene, kind));
  }
  if (drawn < 48) {
    const kind = random.pick(['hold', 'hold lane'] as const);
    return recordHonestMove(scene, `release ${kind}`, () => release(scene, kind));
  }
  if (drawn < 52) return recordHonestMove(scene, 'asks', () => askStatus(scene));
  return attack(scene, random.pick(drawn < 85 ? ATTACKS : STOLEN_KEYS));
}

/** Usually of the newest commit; sometimes of the one at which the page was opened. */
async function review(scene: Scene): Promise<void> {
  const ref = `refs/heads/${scene.branch}`;
  const newest = (await scene.lab.store.refs(ref)).get(ref) ?? scene.original.commit;
  await approveByReview(scene, 'mira', scene.random.chance(0.7) ? newest : scene.original.commit);
}

async function recordHonestMove(_scene: Scene, what: string, act: () => Promise<void>): Promise<string> {
  await act();
  return what;
}

async function attack(scene: Scene, { what, act }: Attack): Promise<string> {
  await act(scene);
  scene.deeds.push({ kind: 'attack', atMs: scene.lab.clock.now(), what });
  return what;
}
