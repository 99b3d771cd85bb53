/** Whom a waiting run is told to and when, each occasion once by the record; and when it closes itself because nobody decided. */

import { underWay } from '../domain/care/mutation-state.ts';
import type { Instant } from '../domain/ids.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/event.ts';
import { isHolding } from '../domain/logbook/liveness.ts';
import { type Ending, isNotified, isOver, type Notice, type RunState } from '../domain/logbook/run-state.ts';
import { after, fromRfc3339 } from '../domain/time.ts';
import type { ClosingCommand } from './decide-closure.ts';
import type { LaneScopedConfig } from './lane-scope.ts';

/** How much later the daily workflow may start than the day before: its own notice comes then, and a reminder beside it says nothing new. */
const DAILY_NOTICE_SLACK_MS = 6 * 60 * 60 * 1_000;

const HOUR_MS = 3_600_000;

/** What is recorded in the run that keeps its lane from one of this day; null where it is of that very day, or people were told. */
export function blockedNotice(blocking: RunState, config: LaneScopedConfig, date: string): EventDraft | null {
  const data = { reason: 'lane-blocked', about: date, ...audienceOf(blocking, config) } as const;
  // One that is over and still holds something takes no more entries: what it holds ends by itself.
  if (blocking.proposal.date >= date || isOver(blocking) || isNotified(blocking, data)) return null;
  return { type: 'notified', role: 'control', data };
}

/** The reminder that is due now because nobody has decided about a run that has ended; null where none is. */
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

/** How the run closes itself as not sealed; null while there is time, or where the lane gives all there is. */
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

/** When the run closes itself unless somebody decides before. */
function closesAt(state: RunState, config: LaneScopedConfig): Instant | null {
  const end = undecidedEnd(state);
  const { closeAfterHours } = config.lane.reminders;
  const endedAt = end === null ? null : fromRfc3339(end.at);
  return endedAt === null || closeAfterHours === null ? null : after(endedAt, closeAfterHours * HOUR_MS);
}

/** The end that a person has to decide about; null while something of the run is still under way. */
function undecidedEnd(state: RunState): Ending | null {
  return isOver(state) || isHolding(state) || underWay(state.mutations).length > 0 ? null : state.end;
}

function noticesSince({ notices }: RunState, end: Ending): readonly Notice[] {
  return notices.filter(({ seq }) => seq > end.seq);
}

/** First those who approved the launch or asked for the run, then everybody who may decide. */
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
