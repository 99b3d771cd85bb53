/** Whom an incident is told to that needs a person, whoever has taken the watch first: once, and once more where nobody says in time that they took it. */

import type { OnCall } from '../config/approvals-schema.ts';
import type { Instant } from '../domain/ids.ts';
import { urgencyOf } from '../domain/incident-urgency.ts';
import { type Incident, readIncident } from '../domain/incidents.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { inChargeByContract } from '../domain/logbook/ownership.ts';
import type { Role } from '../domain/logbook/role.ts';
import { isOver, type Notice, pagesOf, type RunState } from '../domain/logbook/run-state.ts';
import { dateAfter, dateOf, fromRfc3339, timeOf, toRfc3339, weekdayOf } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { isWaitOpen, WAIT_MENTION_MS } from './open-waits.ts';

/** How old an incident may be when it is first told to those on call: through a night of quiet hours, and no older. */
const PAGE_AGE_MAX_MS = 24 * 60 * 60 * 1_000;

/** Pages that are due for what stands in the record. */
export function decidePages(state: RunState, config: LaneScopedConfig, now: Instant): readonly EventDraft[] {
  if (isOver(state)) return [];
  return state.incidents.flatMap((incident) => dueFor(state, config, incident, now, 'control'));
}

/** Pages of the incidents among these drafts, which are about to follow the entry `state.head`: in the same push. */
export function pagesWith(
  state: RunState,
  drafts: readonly EventDraft[],
  config: LaneScopedConfig,
  now: Instant,
): readonly EventDraft[] {
  return drafts.flatMap((draft, index) => {
    if (draft.type !== 'incident') return [];
    const written = { role: draft.role, at: toRfc3339(now), seq: state.head.seq + 1 + index };
    return dueFor(state, config, readIncident(draft.data, written), now, draft.role);
  });
}

function dueFor(
  state: RunState,
  config: LaneScopedConfig,
  incident: Incident,
  now: Instant,
  role: Role,
): readonly EventDraft[] {
  const urgency = urgencyOf(incident);
  if (urgency === 'none' || (urgency === 'day' && isQuiet(config, now))) return [];
  const told = pagesOf(state, incident.seq);
  if (!isDue(state, config, incident, told, now)) return [];
  // rule HR-30
  const own = [state.watch.owner, inChargeByContract(state)].flatMap((one) => (one === null ? [] : [one.id]));
  const people = [...new Set([...own, ...peopleAt(config, now)])];
  if (people.length === 0 && Object.keys(config.onCall.channels).length === 0) return [];
  const about = `${incident.seq}-${told.length + 1}`;
  const channels = Object.keys(config.onCall.channels);
  // rule HR-05
  const data = { reason: 'incident', about, people, ...(channels.length === 0 ? {} : { channels }) } as const;
  return [{ type: 'notified', role, data }];
}

function isDue(
  state: RunState,
  { onCall: { againAfterMinutes } }: LaneScopedConfig,
  incident: Incident,
  told: readonly Notice[],
  now: Instant,
): boolean {
  const { taken } = state;
  if (taken !== null && taken.seq > incident.seq) return false;
  const [first, again] = told;
  const last = told.at(-1);
  if (last !== undefined && isWaitOpen(state, incident, now))
    return now - (fromRfc3339(last.at) ?? now) >= WAIT_MENTION_MS;
  // What happened before anybody was on call is history by now.
  if (first === undefined) return now - (fromRfc3339(incident.at) ?? 0) < PAGE_AGE_MAX_MS;
  if (again !== undefined || againAfterMinutes === null) return false;
  return now - (fromRfc3339(first.at) ?? now) >= againAfterMinutes * 60_000;
}

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
