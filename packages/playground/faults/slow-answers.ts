/** Answers that a fault delays, until their time is over or the fault is switched off. */

import type { World } from '../world/world.ts';
import type { Fault } from './fault.ts';

type Wait = { readonly fault: Fault; readonly over: AbortController };

const waits = new WeakMap<World['state'], Set<Wait>>();

/** Resolves after the fault's time, or when it is switched off or the world closes. */
export async function waitOut(world: World, fault: Fault): Promise<void> {
  const wait: Wait = { fault, over: new AbortController() };
  const open = waits.get(world.state) ?? new Set<Wait>();
  waits.set(world.state, open.add(wait));
  try {
    await world.clock.sleep(fault.durationMs, wait.over.signal);
  } catch (error) {
    if (!wait.over.signal.aborted) throw error;
  } finally {
    open.delete(wait);
  }
}

/** Releases the answers that `which` selects. Without it all are released, as required when the world closes. */
export function endWaits(world: World, which: (wait: { readonly fault: Fault }) => boolean = () => true): void {
  for (const wait of waits.get(world.state) ?? []) if (which(wait)) wait.over.abort();
}
