/** Events about notifications and questions to people. */

import * as z from 'zod';
import { PERMISSIONS } from '../../actor.ts';
import { DELIVERY_OUTCOMES } from '../../effect.ts';
import { code, type DataOf, defineEvents, type EventOf, type Logins, moment, prose } from '../define.ts';
import { integer, text } from '../parts.ts';
import { isNotified, listPages, listUndelivered, type RunState } from '../run-state.ts';

const data = {
  notified: z.object({
    reason: z
      .enum(['lane-blocked', 'undecided', 'incident', 'watch-ended', 'dri-asked', 'job-unconfirmed', 'update'])
      .describe(
        '`lane-blocked`: the lane got no run on a scheduled day; `undecided`: the run ended and waits for a decision; `incident`: an incident needs a person; `watch-ended`: no person has acknowledged the end of the watch; `dri-asked`: the DRI in the contract has to accept the run; `job-unconfirmed`: no person has confirmed the job that the cluster reported; `update`: its issue had no news for a while',
      ),
    about: text.describe(
      'the occasion: the day in UTC, the login, or an entry and the number of the notice about it (`12-1`)',
    ),
    people: z.array(integer).exactOptional().describe('the mentioned people, by user id'),
    permission: z.enum(PERMISSIONS).exactOptional().describe('or all people with at least this permission'),
    channels: z.array(text).exactOptional().describe('channels to which the writer of this event also sends it'),
  }),
  delivered: z.object({
    notice: integer.describe('the entry'),
    channel: text,
    outcome: z.enum(DELIVERY_OUTCOMES).describe('also `unknown` if the sender was killed'),
    why: text,
  }),
  'objective-asked': z.object({
    lane: text,
    date: text,
    issue: integer,
    until: text.describe('RFC 3339; afterwards the run is proposed with the default objective'),
    state: z.enum(['open', 'answered', 'unanswered']),
  }),
};

export type NoticeEventData = DataOf<typeof data>;
export type NoticeReason = NoticeEventData['notified']['reason'];
export type ObjectiveQuestion = NoticeEventData['objective-asked'];

export const noticeEvents = defineEvents(data, {
  notified: {
    title: 'people notified',
    meaning:
      'ferrybot notifies people of an occasion, once. It records the notice before it posts it. The watch writes only notices of its own incidents.',
    writers: ['control', 'watch'],
    rule: checkNotified,
    apply: (state, event) => ({
      ...state,
      notices: [...state.notices, { ...event.data, ...moment(event), role: event.role }],
    }),
    describe: ({ data }, logins) => ({
      status: `people are notified: ${code(data.reason)}`,
      evidence: describeSubject(data.about),
      decision: `once${describeAudience(data, logins)}`,
      next: data.reason === 'update' ? 'the run continues' : 'a person acts',
    }),
  },
  delivered: {
    title: 'sent to a channel',
    meaning: 'The result of sending a notice to a channel, once for each channel.',
    writers: ['control', 'watch'],
    rule: checkDelivered,
    apply: (state, event) => ({
      ...state,
      deliveries: [...state.deliveries, { ...event.data, ...moment(event), role: event.role }],
    }),
    describe: ({ data }) => ({
      status: `channel ${code(data.channel)}: ${data.outcome}`,
      evidence: `notice of entry ${data.notice}`,
      decision: data.why === '' ? 'it is not sent again' : prose(data.why),
    }),
  },
  'objective-asked': {
    title: 'question about the objective',
    meaning: "In the journal: ferrybot asks for the objective of the lane's next run, or the question has ended.",
    writers: ['control'],
    isInJournal: true,
    describe: ({ data }) => ({
      status:
        data.state === 'open'
          ? `asked in #${data.issue} for the objective of the ${prose(data.lane)} run of ${data.date}`
          : `the question in #${data.issue} has ended: ${data.state}`,
      decision: data.state === 'open' ? `ferrybot waits for answers until ${data.until}` : '',
      next: data.state === 'open' ? 'without an answer, the default objective is used' : '',
    }),
  },
});

/**
 * An incident must be recorded before its notices, which are numbered. Otherwise a stolen key could record notices of future incidents in
 * advance.
 */
function checkNotified(state: RunState, { role, data }: EventOf<'notified'>): string | null {
  if (isNotified(state, data)) return 'notified twice of one occasion';
  if (data.reason !== 'incident') return role === 'watch' ? WATCH_ONLY_REASONS : null;
  const incident = state.incidents.find(({ seq }) => data.about.startsWith(`${seq}-`));
  if (incident === undefined) return 'notified of an incident that is none';
  if (role === 'watch' && incident.role !== 'watch') return WATCH_ONLY_REASONS;
  const times = listPages(state, incident.seq).length + 1;
  return data.about === `${incident.seq}-${times}` ? null : 'notified of an incident out of turn';
}

const WATCH_ONLY_REASONS = 'notified by the watch of what is not its own';

/** The author of the notice records the delivery. If that process died, control records it. */
function checkDelivered(state: RunState, { role, data }: EventOf<'delivered'>): string | null {
  const owed = listUndelivered(state).find(({ seq, channel }) => seq === data.notice && channel === data.channel);
  if (owed === undefined) return 'delivered what was not to be sent there, or twice';
  return role === 'watch' && owed.role !== 'watch' ? 'delivered by the watch what control was to send' : null;
}

/** `about` of an incident: its entry and the number of the notice. */
function describeSubject(about: string): string {
  const [entry, time] = /^(\d+)-(\d+)$/.exec(about)?.slice(1) ?? [];
  return entry === undefined ? prose(about) : `entry ${entry}, notice ${time} of it`;
}

function describeAudience(
  { people = [], permission, reason, about }: NoticeEventData['notified'],
  logins: Logins,
): string {
  // A requested DRI has not written a comment yet, so only `about` has the login.
  const asked = reason === 'dri-asked' && people.length === 1 ? about : undefined;
  const named = people.map((id) => {
    const login = asked ?? logins.get(id);
    return login === undefined ? `user ${id}` : `@${prose(login)} (${id})`;
  });
  if (named.length > 0) return `, to ${named.join(', ')}`;
  return permission === undefined ? '' : `, to all people with ${permission} permission`;
}
