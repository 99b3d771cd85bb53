/**
 * What may follow in a record of what people were told. Whoever has stolen a key could otherwise write beforehand that they were
 * told of what is still to come: it would reach nobody, or stand in the way of the entry that tells of it.
 */

import type { EventOf } from './event.ts';
import { isNotified, pagesOf, type RunState, undelivered } from './run-state.ts';

/** The rule that a notice breaks, or null: an incident is there before people are told of it, each time in its turn. */
export function illegalNotice(state: RunState, { role, data }: EventOf<'notified'>): string | null {
  if (isNotified(state, data)) return 'notified twice of one occasion';
  if (data.reason !== 'incident') return role === 'watch' ? WATCH_ALONE : null;
  const incident = state.incidents.find(({ seq }) => data.about.startsWith(`${seq}-`));
  if (incident === undefined) return 'notified of an incident that is none';
  if (role === 'watch' && incident.role !== 'watch') return WATCH_ALONE;
  const times = pagesOf(state, incident.seq).length + 1;
  return data.about === `${incident.seq}-${times}` ? null : 'notified of an incident out of turn';
}

const WATCH_ALONE = 'notified by the watch of what is not its own';

/** The same of what came of sending a notice to a channel: whoever wrote the notice says it, and control for whoever died. */
export function illegalDelivery(state: RunState, { role, data }: EventOf<'delivered'>): string | null {
  const owed = undelivered(state).find(({ seq, channel }) => seq === data.notice && channel === data.channel);
  if (owed === undefined) return 'delivered what was not to be sent there, or twice';
  return role === 'watch' && owed.role !== 'watch' ? 'delivered by the watch what control was to send' : null;
}
