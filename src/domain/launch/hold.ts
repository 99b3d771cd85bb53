/** What keeps runs from launching until a person lifts it: a hold on one run, a day that is skipped, a lane or repository that is frozen. */

import type { Actor } from '../actor.ts';

export const HOLD_KINDS = ['hold', 'skip', 'freeze'] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

/** What a person says to lift one; a stop and a revocation are lifted by a new approval alone. */
export const LIFTED_BY: Readonly<Record<HoldKind, string>> = {
  hold: 'unhold',
  skip: 'unhold',
  freeze: 'thaw',
};

export const HOLD_SCOPES = ['run', 'lane', 'repository'] as const;
export type HoldScope = (typeof HOLD_SCOPES)[number];

/**
 * A hold that stands. `lane`: the one that it keeps back, null for every lane. `date` (YYYY-MM-DD) is the day that a skip
 * leaves out; null for the others.
 */
export type Hold = {
  readonly kind: HoldKind;
  readonly scope: HoldScope;
  readonly lane: string | null;
  readonly reason: string;
  readonly date: string | null;
  readonly actor: Actor;
  readonly at: string;
};

/** What names a hold: the same one is not put on twice, and a release lifts exactly it. */
type HoldName = Pick<Hold, 'kind' | 'scope' | 'lane' | 'date'>;

/** What an event says of a hold: a lane is left out where it concerns every lane, or one run alone. */
type RecordedName = Omit<HoldName, 'lane'> & { readonly lane?: string | undefined };

/** The hold that an event puts on. */
export function holdFrom(data: RecordedName & Pick<Hold, 'reason'>, actor: Actor, at: string): Hold {
  return { ...data, lane: data.lane ?? null, actor, at };
}

/** The hold that an event releases. */
export function holdName({ kind, scope, lane, date }: RecordedName): HoldName {
  return { kind, scope, lane: lane ?? null, date };
}

/** Whether both mean the same hold. */
export function isSameHold(a: HoldName, b: HoldName): boolean {
  return a.kind === b.kind && a.scope === b.scope && a.lane === b.lane && a.date === b.date;
}

/** The day of a run in its lane; `lane` null asks for every lane. */
export type LaneDay = { readonly lane: string | null; readonly date: string };

/** The holds that keep a run of this day back: a skip concerns its own day alone, and no lane another's. */
export function holdsOn(holds: readonly Hold[], { lane, date }: LaneDay): readonly Hold[] {
  const isOfLane = (hold: Hold): boolean => lane === null || hold.lane === null || hold.lane === lane;
  return holds.filter((hold) => isOfLane(hold) && (hold.date === null || hold.date === date));
}

/** With one more; putting the same one on again changes only its reason and who is responsible. */
export function withHold(holds: readonly Hold[], hold: Hold): readonly Hold[] {
  return [...withoutHold(holds, hold), hold];
}

/** Those that were lifted, after one more was, or was put on again. */
export function liftedAfter(
  lifted: readonly Hold[],
  before: readonly Hold[],
  standing: readonly Hold[],
): readonly Hold[] {
  const gone = before.filter((hold) => !standing.some((one) => isSameHold(one, hold)));
  return gone.reduce(withHold, lifted).filter((hold) => !standing.some((one) => isSameHold(one, hold)));
}

/** Without the one that is named. */
export function withoutHold(holds: readonly Hold[], name: HoldName): readonly Hold[] {
  return holds.filter((hold) => !isSameHold(hold, name));
}
