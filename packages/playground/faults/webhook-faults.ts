/** Applies the active faults to one webhook delivery. */

import type { World } from '../world/world.ts';
import { drawStrike } from './strike.ts';

/**
 * One delivery of a webhook, after a wait. A lost webhook has none, a doubled one two. `behind` lets the next webhook
 * overtake it.
 */
export type Journey = { readonly waitMs: number; readonly behind: boolean };

const direct: Journey = { waitMs: 0, behind: false };

/** The deliveries of one webhook, by its event name. Every fault draws, regardless of the other faults. */
export function planJourneys(world: World, event: string): readonly Journey[] {
  const occasion = { routes: [event], byPerson: false } as const;
  const isDropped = drawStrike(world, ['webhook-dropped'], occasion) !== null;
  const late = drawStrike(world, ['webhook-delayed'], occasion);
  const behind = drawStrike(world, ['webhook-reordered'], occasion) !== null;
  const isDoubled = drawStrike(world, ['webhook-doubled'], occasion) !== null;
  if (isDropped) return [];
  const journey = { waitMs: late === null ? 0 : late.durationMs, behind };
  return isDoubled ? [journey, direct] : [journey];
}
