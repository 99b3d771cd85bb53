/** A block on launching until a person lifts it. */

import type { Actor } from '../actor.ts';
import type { Facts } from '../incidents.ts';
import { known, type Observed } from '../values.ts';

export const HOLD_SCOPES = ['run', 'lane', 'date', 'repository'] as const;
type HoldScope = (typeof HOLD_SCOPES)[number];

/** `lane`: null for a run and for the repository. `date` (YYYY-MM-DD): null unless the scope is a date. */
export type HoldTarget = { readonly scope: HoldScope; readonly lane: string | null; readonly date: string | null };

/** `reason` may be empty. */
export type Hold = HoldTarget & { readonly reason: string; readonly actor: Actor; readonly at: string };

export const TARGET_FIELDS = { scope: HOLD_SCOPES, lane: 'text?', date: 'text?' } as const;

/** The facts of `TARGET_FIELDS`. */
export function holdTargetFacts({ scope, lane, date }: HoldTarget): Facts<typeof TARGET_FIELDS> {
  return { scope, lane: lane ?? undefined, date: date ?? undefined };
}

/** As recorded in an event: without a lane, the field is absent. */
export type RecordedTarget = Omit<HoldTarget, 'lane'> & { readonly lane?: string | undefined };

/** The target as an event records it. */
export function toRecordedTarget({ scope, lane, date }: HoldTarget): RecordedTarget {
  return { scope, ...(lane === null ? {} : { lane }), date };
}

function isSameTarget(a: HoldTarget, b: HoldTarget): boolean {
  return a.scope === b.scope && a.lane === b.lane && a.date === b.date;
}

/** `lane` null asks for all lanes. */
export type LaneDay = { readonly lane: string | null; readonly date: string };

/** The holds that block a run of this lane and day. */
export function filterHolds<Target extends HoldTarget>(
  holds: readonly Target[],
  { lane, date }: LaneDay,
): readonly Target[] {
  return holds.filter(
    (hold) => (lane === null || hold.lane === null || hold.lane === lane) && (hold.date === null || hold.date === date),
  );
}

/** The run's own holds, and the journal's holds that block the run. */
export function listHoldsOnRun(
  { holds, proposal }: { readonly holds: readonly Hold[]; readonly proposal: LaneDay },
  journalHolds: Observed<readonly Hold[]>,
): Observed<readonly Hold[]> {
  return journalHolds.kind === 'unknown'
    ? journalHolds
    : known([...holds, ...filterHolds(journalHolds.value, proposal)]);
}

/** A second hold on the same target replaces the first. */
export function addHold(holds: readonly Hold[], hold: Hold): readonly Hold[] {
  return [...removeHold(holds, hold), hold];
}

/** Removes the hold on this target. */
export function removeHold(holds: readonly Hold[], target: HoldTarget): readonly Hold[] {
  return holds.filter((hold) => !isSameTarget(hold, target));
}

/** The command that lifts the hold. A hold on a run is lifted in the run's thread. */
export function unholdCommand({ scope, lane, date }: HoldTarget): string {
  const words: Readonly<Record<HoldScope, readonly string[]>> = {
    run: [],
    lane: [`lane=${lane}`],
    date: [`lane=${lane}`, `date=${date}`],
    repository: ['scope=repository'],
  };
  return ['/unhold', ...words[scope]].join(' ');
}
