/** A day of the schedule on which a lane gets no run, because an earlier one is not over: told once a day. */

import type { EventDraft } from '../domain/logbook/event.ts';
import { isNotified, isOver, type RunState } from '../domain/logbook/run-state.ts';

/** What is recorded in the run that stands in the way; null where it is of that very day, or people were told. */
export function blockedNotice(blocking: RunState, date: string): EventDraft | null {
  const data = { reason: 'lane-blocked', about: date } as const;
  // One that is over and still holds something takes no more entries: what it holds ends by itself.
  if (blocking.proposal.date >= date || isOver(blocking) || isNotified(blocking, data)) return null;
  return { type: 'notified', role: 'control', data };
}
