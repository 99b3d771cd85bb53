/** Reads from a lagging replica: an answer that was correct up to a minute ago. */

import { faults as limits } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import type { Asked } from './asked.ts';
import type { Fault } from './fault.ts';
import { isOn } from './strike.ts';

type Kept = { readonly atMs: number; readonly answer: Response };

const kept = new WeakMap<World, Map<string, Kept>>();

/**
 * On a strike, returns the earlier answer to the same read if it is recent enough, and calls `onStale`. Stores every
 * fresh answer.
 */
export async function staleOrFresh(
  world: World,
  asked: Asked,
  strike: { readonly fault: Fault; readonly onStale: () => void } | null,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (asked.writes || !isOn(world, ['stale-read'])) return answer(asked.request);
  const answers = kept.get(world) ?? new Map<string, Kept>();
  kept.set(world, answers);
  const before = answers.get(asked.key);
  const now = world.clock.now();
  if (strike !== null && before !== undefined && now - before.atMs <= strike.fault.durationMs) {
    strike.onStale();
    return before.answer.clone();
  }
  const fresh = await answer(asked.request);
  if (fresh.status === 200) remember(answers, asked.key, { atMs: now, answer: fresh.clone() });
  return fresh;
}

function remember(answers: Map<string, Kept>, key: string, one: Kept): void {
  answers.delete(key);
  answers.set(key, one);
  const [oldest] = answers.keys();
  if (answers.size > limits.answersKept && oldest !== undefined) answers.delete(oldest);
}
