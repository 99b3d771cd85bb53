/**
 * Secondary limits started by a fault: for a minute GitHub refuses every write of one caller (docs: wait at least one
 * minute).
 */

import { secondaryLimitAnswer } from '../api/reply.ts';
import { faults as limits } from '../limits/limits.ts';
import type { World } from '../world/world.ts';
import { isFaultOn } from './strike.ts';

const endsMs = new WeakMap<World['state'], Map<string, number>>();

/** The refusal of a write during a secondary limit; null when there is none. `caller` is the token. */
export function refusedByStorm(world: World, caller: string): Response | null {
  if (!isFaultOn(world, ['secondary-limit'])) return null;
  const leftMs = (endsMs.get(world.state)?.get(caller) ?? 0) - world.clock.now();
  return leftMs > 0 ? limitResponse(leftMs) : null;
}

/** Starts a secondary limit with the write that it refuses first. */
export function beginStorm(world: World, caller: string): Response {
  const open = endsMs.get(world.state) ?? new Map<string, number>();
  endsMs.set(world.state, open.set(caller, world.clock.now() + limits.stormMs));
  return limitResponse(limits.stormMs);
}

export function endStorms(world: World): void {
  endsMs.delete(world.state);
}

function limitResponse(waitMs: number): Response {
  const { status, body, headers } = secondaryLimitAnswer(waitMs);
  return Response.json(body, { status, headers });
}
