/** Notifies people on call of urgent incidents, whoever owns the watch: once, and again if nobody acknowledges in time. */

import type { OnCall } from '../config/approvals-schema.ts';
import { type Incident, type IncidentCode, readIncident } from '../domain/incidents.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { inChargeByContract } from '../domain/logbook/ownership.ts';
import type { Role } from '../domain/logbook/parts.ts';
import { isOver, type Notice, pagesOf, type RunState, undelivered } from '../domain/logbook/run-state.ts';
import {
  dateAfter,
  dateOf,
  fromRfc3339,
  type Instant,
  timeOf,
  toRfc3339,
  weekdayOf,
} from '../domain/values.ts';
import { isWaitOpen } from './decide-waits.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { isOpenToAll } from './publications.ts';

/** Interval between mentions of people on call while a wait is open. */
const WAIT_MENTION_MS = 60 * 60 * 1_000;

/** A job may run unwatched, or the record is in doubt. Other incidents wait for the end of quiet hours. */
const URGENT: readonly IncidentCode[] = [
  ...(['submit-conflict', 'submit-unknown', 'engine-state-lost', 'engine-unreadable'] as const),
  ...(['stop-unconfirmed', 'failure-signature', 'run-degraded', 'run-alarm', 'monitor-stale'] as const),
  ...(['cluster-missing', 'logbook-broken', 'machine-still-there', 'account-unreadable'] as const),
  'balance-short',
];

/** News that no person has to act on. */
const QUIET: readonly IncidentCode[] = [
  ...(['cluster-back', 'rung-taken', 'attempt-goes-on', 'source-kept', 'fix-not-made'] as const),
  'machine-destroyed',
];

/** Maximum age at the first notice, so that incidents survive a night of quiet hours. */
const PAGE_AGE_MAX_MS = 24 * 60 * 60 * 1_000;

/** Due pages for recorded incidents. */
export function decidePages(state: RunState, config: LaneScopedConfig, now: Instant): readonly EventDraft[] {
  if (isOver(state)) return [];
  return state.incidents.flatMap((incident) => dueFor(state, config, incident, now, 'control'));
}

/** Pages for incidents among these drafts, pushed together with them after the entry `state.head`. */
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
  // An incident from another version of ferrybot counts as urgent.
  const { code } = incident;
  if (code !== null && (QUIET.includes(code) || (!URGENT.includes(code) && isQuiet(config, now)))) return [];
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
  // An incident older than the on-call schedule is not reported.
  if (first === undefined) return now - (fromRfc3339(incident.at) ?? 0) < PAGE_AGE_MAX_MS;
  if (again !== undefined || againAfterMinutes === null) return false;
  return now - (fromRfc3339(first.at) ?? now) >= againAfterMinutes * 60_000;
}

/** User ids of the lane's maintainers and the people on call. */
export function peopleAt({ lane, onCall }: LaneScopedConfig, now: Instant): readonly number[] {
  const onShift = onCall.shifts.filter((shift) => isOn(shift, now)).flatMap(({ users }) => users);
  return [...new Set([...lane.inCharge, ...onShift])];
}

/** During quiet hours, only urgent incidents may mention people. */
export function isQuiet({ onCall: { quietHours } }: LaneScopedConfig, now: Instant): boolean {
  return quietHours !== null && beginsOn(quietHours, now) !== null;
}

function isOn({ days, from, until, since, through }: OnCall['shifts'][number], now: Instant): boolean {
  const day = beginsOn({ from, until }, now);
  if (day === null || !days.includes(weekdayOf(day))) return false;
  return (since === null || day >= since) && (through === null || day <= through);
}

/** The day on which the current period began; null outside the period. */
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

/** Records a delivery as unknown if its sender died. The message may have arrived, so it is not sent again. */
export function lostDeliveries(state: RunState, now: Instant): readonly EventDraft[] {
  if (isOver(state)) return [];
  return undelivered(state)
    .filter(({ at }) => isOpenToAll(at, now))
    .map(({ seq, channel }) => ({
      type: 'delivered',
      role: 'control',
      data: {
        notice: seq,
        channel,
        outcome: 'unknown',
        why: 'whoever was to send it did not say what came of it',
      },
    }));
}
