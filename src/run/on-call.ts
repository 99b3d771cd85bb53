/** Who is on call at a moment, and whether it is one of the quiet hours; all of it is UTC. */

import type { OnCall } from '../config/on-call-schema.ts';
import type { Instant } from '../domain/ids.ts';
import { dateAfter, dateOf, timeOf, weekdayOf } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

/** Ids of those in charge of the lane and of those who are on call now, each once. */
export function peopleAt({ lane, onCall }: LaneScopedConfig, now: Instant): readonly number[] {
  const onShift = onCall.shifts.filter((shift) => isOn(shift, now)).flatMap(({ users }) => users);
  return [...new Set([...lane.inCharge, ...onShift])];
}

/** Whether only what cannot wait may mention anybody. */
export function isQuiet({ onCall: { quietHours } }: LaneScopedConfig, now: Instant): boolean {
  return quietHours !== null && beginsOn(quietHours, now) !== null;
}

function isOn({ days, from, until, since, through }: OnCall['shifts'][number], now: Instant): boolean {
  const day = beginsOn({ from, until }, now);
  if (day === null || !days.includes(weekdayOf(day))) return false;
  return (since === null || day >= since) && (through === null || day <= through);
}

/** The day on which the hours began that this moment is in; null where it is in none. */
function beginsOn(
  { from, until }: { readonly from: string; readonly until: string },
  now: Instant,
): string | null {
  const today = dateOf(now);
  const time = timeOf(now);
  if (from < until) return from <= time && time < until ? today : null;
  if (time >= from) return today;
  return time < until ? dateAfter(today, -1) : null;
}
