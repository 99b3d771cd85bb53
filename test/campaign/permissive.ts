// How the campaign is asked whether it finds that a defence is gone: the first sequence that breaks a promise.

import type { Outcome } from './outcome.ts';
import { playScenario } from './sequence.ts';

/** Other moves come between, and some of them spoil the attack: one of so many sequences has to find it. */
export const SEEDS = Number(process.env['PERMISSIVE_SEEDS'] ?? 6);

/** The first sequence that breaks a promise, by its seed; null where none of so many does. */
export async function firstBroken(
  play: (seed: number) => Promise<Outcome>,
  seeds: number,
): Promise<Outcome | null> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const outcome = await play(seed);
    if (outcome.faults.length > 0) return outcome;
  }
  return null;
}

/** Sequences of this scenario. */
export function ofScenario(what: string): (seed: number) => Promise<Outcome> {
  return (seed) => playScenario(seed, what);
}
