/** What follows from a job of somebody's that nobody takes over: one reminder, and then its run is over, so that nothing is asked or watched for ever. */

import type { Instant } from '../domain/ids.ts';
import { awaitsAdoptionUntil } from '../domain/logbook/adoption.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { isNotified, type RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { notConfirmed } from '../render/adoption-words.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

const HOUR_MS = 3_600_000;

/** What is due now; null where somebody has taken the job over, or there is time. */
export function decideUnconfirmed(
  state: RunState,
  config: LaneScopedConfig,
  now: Instant,
): EventDraft | null {
  const until = awaitsAdoptionUntil(state, config.lane.reminders.closeAfterHours);
  if (until === null) return null;
  if (now < until) return reminder(state, config, now);
  const reason = notConfirmed(state, config.lane.reminders.closeAfterHours);
  return { type: 'closed', role: 'control', data: { outcome: 'withdrawn', reason, closurePull: null } };
}

/** Whoever asked was told what the job is; the reminder is for all who may confirm it. */
function reminder(
  { description, ...state }: RunState,
  { lane, permissions, approvals }: LaneScopedConfig,
  now: Instant,
): EventDraft | null {
  const { everyHours } = lane.reminders;
  if (description?.found !== 'described' || everyHours === null) return null;
  if (now - (fromRfc3339(description.at) ?? now) < everyHours * HOUR_MS) return null;
  const permission = permissions.adopt ?? approvals.permission;
  const data = { reason: 'job-unconfirmed', about: `${description.seq}-1`, permission } as const;
  return isNotified({ description, ...state }, data) ? null : { type: 'notified', role: 'control', data };
}
