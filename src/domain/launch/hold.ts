/** What keeps runs from launching until a person lifts it: a hold on one run, a day that is skipped, a lane or repository that is frozen. */

import type { Actor } from '../actor.ts';

export const HOLD_KINDS = ['hold', 'skip', 'freeze'] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

export const HOLD_SCOPES = ['run', 'lane', 'repository'] as const;
export type HoldScope = (typeof HOLD_SCOPES)[number];

/** A hold that stands. `date` (YYYY-MM-DD) is the day that a skip leaves out; null for the others. */
export type Hold = {
  readonly kind: HoldKind;
  readonly scope: HoldScope;
  readonly reason: string;
  readonly date: string | null;
  readonly actor: Actor;
  readonly at: string;
};

/** What names a hold: the same one is not put on twice, and a release lifts exactly it. */
type HoldName = Pick<Hold, 'kind' | 'scope' | 'date'>;

/** Whether both mean the same hold. */
export function isSameHold(a: HoldName, b: HoldName): boolean {
  return a.kind === b.kind && a.scope === b.scope && a.date === b.date;
}

/** The holds that keep a run of this day back: a skip concerns its own day alone. */
export function holdsOn(holds: readonly Hold[], date: string): readonly Hold[] {
  return holds.filter((hold) => hold.date === null || hold.date === date);
}

/** With one more; putting the same one on again changes only its reason and who is responsible. */
export function withHold(holds: readonly Hold[], hold: Hold): readonly Hold[] {
  return [...withoutHold(holds, hold), hold];
}

/** Without the one that is named. */
export function withoutHold(holds: readonly Hold[], name: HoldName): readonly Hold[] {
  return holds.filter((hold) => !isSameHold(hold, name));
}
