/** A block on launching that lasts until a person lifts it: of one run, a lane, one day of a lane, or the whole repository. */

import type { Actor } from '../actor.ts';
import type { Facts } from '../payload.ts';

export const HOLD_SCOPES = ['run', 'lane', 'date', 'repository'] as const;
type HoldScope = (typeof HOLD_SCOPES)[number];

/** What a hold blocks. `lane`: null for a run and for the repository. `date` (YYYY-MM-DD): null unless the scope is a date. */
export type HoldTarget = {
  readonly scope: HoldScope;
  readonly lane: string | null;
  readonly date: string | null;
};

/** `reason` is empty where the person gave none. */
export type Hold = HoldTarget & { readonly reason: string; readonly actor: Actor; readonly at: string };

/** The fields of a hold in answers and verdicts. */
export const TARGET_FIELDS = { scope: HOLD_SCOPES, lane: 'text?', date: 'text?' } as const;

/** The facts of these fields. */
export function targetFacts({ scope, lane, date }: HoldTarget): Facts<typeof TARGET_FIELDS> {
  return { scope, lane: lane ?? undefined, date: date ?? undefined };
}

/** A target as an event records it: the lane is left out where there is none. */
export type RecordedTarget = Omit<HoldTarget, 'lane'> & { readonly lane?: string | undefined };

/** What an event records of a target. */
export function recordedTarget({ scope, lane, date }: HoldTarget): RecordedTarget {
  return { scope, ...(lane === null ? {} : { lane }), date };
}

/** Whether both block the same. */
function isSameTarget(a: HoldTarget, b: HoldTarget): boolean {
  return a.scope === b.scope && a.lane === b.lane && a.date === b.date;
}

/** The day of a run in its lane; `lane` null asks for every lane. */
export type LaneDay = { readonly lane: string | null; readonly date: string };

/** The holds that block a run of this lane and day. */
export function holdsOn<Target extends HoldTarget>(
  holds: readonly Target[],
  { lane, date }: LaneDay,
): readonly Target[] {
  return holds.filter(
    (hold) =>
      (lane === null || hold.lane === null || hold.lane === lane) &&
      (hold.date === null || hold.date === date),
  );
}

/** With one more; a second hold on the same target replaces the first. */
export function withHold(holds: readonly Hold[], hold: Hold): readonly Hold[] {
  return [...withoutHold(holds, hold), hold];
}

/** Without the hold on this target. */
export function withoutHold(holds: readonly Hold[], target: HoldTarget): readonly Hold[] {
  return holds.filter((hold) => !isSameTarget(hold, target));
}

/** What a person comments to lift it, as they can copy it; a hold on a run is lifted in the thread of the run. */
export function liftCommand({ scope, lane, date }: HoldTarget): string {
  const words: Readonly<Record<HoldScope, readonly string[]>> = {
    run: [],
    lane: [`lane=${lane}`],
    date: [`lane=${lane}`, `date=${date}`],
    repository: ['scope=repository'],
  };
  return ['/unhold', ...words[scope]].join(' ');
}
