/** Reads from a lagging replica: an answer that was correct up to a minute ago. */

import { faults as limits } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import type { DescribedRequest } from './asked.ts';
import type { Fault } from './fault.ts';
import { isFaultOn } from './strike.ts';

type StoredAnswer = { readonly atMs: number; readonly answer: Response };

const kept = new WeakMap<World, Map<string, StoredAnswer>>();

/**
 * On a strike, returns the earlier answer to the same read if it is recent enough, and calls `onStale`. Stores every
 * fresh answer.
 */
export async function staleOrFresh(
  world: World,
  described: DescribedRequest,
  strike: { readonly fault: Fault; readonly onStale: () => void } | null,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (described.writes || !isFaultOn(world, ['stale-read'])) return answer(described.request);
  const answers = kept.get(world) ?? new Map<string, StoredAnswer>();
  kept.set(world, answers);
  const before = answers.get(described.key);
  const now = world.clock.now();
  if (strike !== null && before !== undefined && now - before.atMs <= strike.fault.durationMs) {
    strike.onStale();
    return before.answer.clone();
  }
  const fresh = await answer(described.request);
  if (fresh.status === 200) storeAnswer(answers, described.key, { atMs: now, answer: fresh.clone() });
  return fresh;
}

function storeAnswer(answers: Map<string, StoredAnswer>, key: string, one: StoredAnswer): void {
  answers.delete(key);
  answers.set(key, one);
  const [oldest] = answers.keys();
  if (answers.size > limits.answersKept && oldest !== undefined) answers.delete(oldest);
}
