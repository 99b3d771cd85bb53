/** What the faults that are on do to one webhook on its way. */

import type { World } from '../world/world.ts';
import { strike } from './strike.ts';

/** How often and after which wait it is sent; none when it is lost. `behind` lets the next one overtake it. */
export type Journey = { readonly waitMs: number; readonly behind: boolean };

const direct: Journey = { waitMs: 0, behind: false };

/** The journeys of one webhook, by the name of its event; every fault draws, whatever another one does to it. */
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
