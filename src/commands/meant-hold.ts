/** The hold that `/hold` and `/unhold` refer to. */

import { z } from 'zod';
import type { HoldTarget } from '../domain/launch/hold.ts';
import { type MeantLane, meantLane } from './meant-lane.ts';
import { laneWord, runWord } from './values.ts';

type Args = Readonly<Record<string, string>>;

/** The arguments that name a hold. */
export const HOLD_KEYS = {
  run: { required: false, value: runWord },
  lane: { required: false, value: laneWord },
  date: { required: false, value: z.iso.date('a day, such as 2026-11-21') },
  scope: { required: false, value: z.literal('repository', 'repository') },
} as const;

/** Whether the arguments name more than one run. */
export function namesWiderHold(args: Args): boolean {
  return ['lane', 'date', 'scope'].some((key) => args[key] !== undefined);
}

/** The hold that the arguments name, or the lane of the thread. */
export function meantHold(
  args: Args,
  place: Parameters<typeof meantLane>[1],
): { readonly kind: 'hold'; readonly target: HoldTarget } | Exclude<MeantLane, { kind: 'lane' }> {
  if (args['scope'] !== undefined)
    return { kind: 'hold', target: { scope: 'repository', lane: null, date: null } };
  const meant = meantLane(args['lane'], place);
  if (meant.kind !== 'lane') return meant;
  const date = args['date'] ?? null;
  return { kind: 'hold', target: { scope: date === null ? 'lane' : 'date', lane: meant.lane, date } };
}
