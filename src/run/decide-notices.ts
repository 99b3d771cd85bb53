/** Reminders about undecided runs, each recorded once, and the automatic close without a decision. */

import { underWay } from '../domain/actions/action-state.ts';
import type { Instant } from '../domain/ids.ts';
import { awaitsAdoptionUntil } from '../domain/logbook/adoption.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/event.ts';
import { isHolding } from '../domain/logbook/liveness.ts';
import { type Ending, isNotified, isOver, type Notice, type RunState } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339 } from '../domain/time.ts';
import { notConfirmed } from '../render/adoption-words.ts';
import type { ClosingCommand } from './decide-closure.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

/** Daily workflows start at varying times; a reminder shortly before their own notice adds nothing. */
const DAILY_NOTICE_SLACK_MS = 6 * 60 * 60 * 1_000;

const HOUR_MS = 3_600_000;

/** The notice in the run that blocks its lane on this day; null if it is that day's run or people were notified. */
export function blockedNotice(blocking: RunState, config: LaneScopedConfig, date: string): EventDraft | null {
  const data = { reason: 'lane-blocked', about: date, ...audienceOf(blocking, config) } as const;
  // A closed run that still holds something accepts no entries; its holdings end by themselves.
  if (blocking.proposal.date >= date || isOver(blocking) || isNotified(blocking, data)) return null;
  return { type: 'notified', role: 'control', data };
}

/** The due reminder about an ended, undecided run, or null. */
export function decideReminder(state: RunState, config: LaneScopedConfig, now: Instant): EventDraft | null {
  const { everyHours } = config.lane.reminders;
  const end = undecidedEnd(state);
  if (end === null || everyHours === null || unsealedClosing(state, config, now) !== null) return null;
  const told = noticesSince(state, end);
  const last = told.at(-1);
  const slackMs = last?.reason === 'lane-blocked' && everyHours >= 24 ? DAILY_NOTICE_SLACK_MS : 0;
  if (now - (fromRfc3339((last ?? end).at) ?? now) < everyHours * HOUR_MS + slackMs) return null;
  const number = told.filter(({ reason }) => reason === 'undecided').length + 1;
  const data = { reason: 'undecided', about: `${end.seq}-${number}`, ...audienceOf(state, config) } as const;
  return { type: 'notified', role: 'control', data };
}

/** The automatic close after the lane's time limit; null before it, or without a limit. */
export function unsealedClosing(
  state: RunState,
  config: LaneScopedConfig,
  now: Instant,
): ClosingCommand | null {
  const at = closesAt(state, config);
  const { closeAfterHours } = config.lane.reminders;
  if (at === null || now < at) return null;
  const reason = `nobody sealed or closed it within ${closeAfterHours} h of its end`;
  return { decision: { kind: 'close', outcome: 'unsealed', reason }, said: null };
}

function closesAt(state: RunState, config: LaneScopedConfig): Instant | null {
  const end = undecidedEnd(state);
  const { closeAfterHours } = config.lane.reminders;
  const endedAt = end === null ? null : fromRfc3339(end.at);
  return endedAt === null || closeAfterHours === null ? null : after(endedAt, closeAfterHours * HOUR_MS);
}

/** The end that needs a decision; null while the run still holds something. */
function undecidedEnd(state: RunState): Ending | null {
  return isOver(state) || isHolding(state) || underWay(state.actions).length > 0 ? null : state.end;
}

function noticesSince({ notices }: RunState, end: Ending): readonly Notice[] {
  return notices.filter(({ seq }) => seq > end.seq);
}

/** The first notice goes to the approvers and the requester, later ones to everyone who may decide. */
function audienceOf(
  state: RunState,
  config: LaneScopedConfig,
): Pick<EventDataByType['notified'], 'people' | 'permission'> {
  const end = undecidedEnd(state);
  if (end === null || config.lane.reminders.everyHours === null) return {};
  const { order, proposal } = state;
  const approvers = order?.order.approvals.map(({ user }) => user) ?? [];
  const named = [
    ...new Set([...approvers, ...(proposal.requestedBy === null ? [] : [proposal.requestedBy.id])]),
  ];
  if (named.length > 0 && noticesSince(state, end).length === 0) return { people: named };
  return { permission: config.permissions[end.status === 'FAILED' ? 'ack' : 'seal'] };
}

/** The due reminder or close of an unconfirmed adoption, or null. */
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

/** The requester was already notified; the reminder mentions everyone who may confirm. */
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
