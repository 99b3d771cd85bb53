/** A hold in words: what it blocks, why, and what lifts it. */

import { type HoldTarget, liftCommand, type TARGET_FIELDS } from '../domain/launch/hold.ts';
import type { Facts } from '../domain/payload.ts';
import { code, text } from './words.ts';

type Target = HoldTarget | Facts<typeof TARGET_FIELDS>;

/** What it blocks. */
export function blockedWords({ scope, lane, date }: Target): string {
  if (scope === 'run') return 'this run';
  if (lane == null) return 'the repository';
  return date == null ? `the lane ${code(lane)}` : `${text(date)} of the lane ${code(lane)}`;
}

/** For behind what is blocked: empty where the person gave no reason. */
export function reasonWords(reason: string): string {
  return reason === '' ? '' : `: ${text(reason)}`;
}

/** Who holds what, and why. */
export function heldWords(target: Target, by: string, reason: string): string {
  return `${blockedWords(target)} is on hold by ${by}${reasonWords(reason)}`;
}

/** The command that lifts it, to copy. */
export function liftWords({ scope, lane, date }: Target): string {
  return code(liftCommand({ scope, lane: lane ?? null, date: date ?? null }));
}
