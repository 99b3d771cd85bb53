/** What the faults that are on do to one webhook on its way. */

import type { World } from '../world/world.ts';
import { strike } from './strike.ts';

/** How often and after which wait it is sent; none when it is lost. `behind` lets the next one overtake it. */
export type Journey = { readonly waitMs: number; readonly behind: boolean };

const direct: Journey = { waitMs: 0, behind: false };

export function journeysOf(world: World, event: string): readonly Journey[] {
  if (strike(world, ['webhook-dropped'], event) !== null) return [];
  const late = strike(world, ['webhook-delayed'], event);
  const behind = strike(world, ['webhook-reordered'], event) !== null;
  const journey = { waitMs: late === null ? 0 : Math.abs(late.durationMs), behind };
  return strike(world, ['webhook-doubled'], event) === null ? [journey] : [journey, direct];
}
