/** Applies the active faults to one webhook delivery. */

import type { World } from '../world/world.ts';
import { strike } from './strike.ts';

/**
 * One delivery of a webhook, after a wait. A lost webhook has none, a doubled one two. `behind` lets the next webhook
 * overtake it.
 */
export type Journey = { readonly waitMs: number; readonly behind: boolean };

const direct: Journey = { waitMs: 0, behind: false };

/** The deliveries of one webhook, by its event name. Every fault draws, regardless of the other faults. */
export function journeysOf(world: World, event: string): readonly Journey[] {
  const occasion = { routes: [event], byPerson: false } as const;
  const isDropped = strike(world, ['webhook-dropped'], occasion) !== null;
  const late = strike(world, ['webhook-delayed'], occasion);
  const behind = strike(world, ['webhook-reordered'], occasion) !== null;
  const isDoubled = strike(world, ['webhook-doubled'], occasion) !== null;
  if (isDropped) return [];
  const journey = { waitMs: late === null ? 0 : late.durationMs, behind };
  return isDoubled ? [journey, direct] : [journey];
}
