/** What follows from an offer of the watch that nobody took, and from the end of a watch of which nobody took note. */

import type { Instant } from '../domain/ids.ts';
import { incidentDraft } from '../domain/incidents.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { openOffer, ownerOf, untakenWatchEnd } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

const HOUR_MS = 3_600_000;

/** The watch stays with whoever has it, and those on call hear that nobody else took it. */
export function decideOffer(state: RunState, now: Instant): Step | null {
  const { watch, submission, end } = state;
  const { offer } = watch;
  if (submission === null || end !== null || watch.ended !== null) return null;
  if (offer?.state !== 'offered' || openOffer(state, now) !== null) return null;
  const owner = ownerOf(state)?.login;
  const { to, until } = offer;
  return append(
    { type: 'handoff', role: 'control', data: { state: 'expired', to, until } },
    incidentDraft('control', 'handoff-unanswered', {
      login: to.login,
      until,
      ...(owner === undefined ? {} : { owner }),
    }),
  );
}

/** The reminder that is due because the watch has ended and nobody said what comes next; the end of the job has reminders of its own. */
export function watchEndReminder(
  state: RunState,
  { lane: { reminders }, permissions }: LaneScopedConfig,
  now: Instant,
): EventDraft | null {
  const ended = untakenWatchEnd(state);
  const { everyHours } = reminders;
  if (ended === null || state.end !== null || everyHours === null) return null;
  const told = state.notices.filter(({ reason, seq }) => reason === 'watch-ended' && seq > ended.seq);
  if (now - (fromRfc3339((told.at(-1) ?? ended).at) ?? now) < everyHours * HOUR_MS) return null;
  const owner = ownerOf(state);
  const audience =
    owner !== null && told.length === 0 ? { people: [owner.id] } : { permission: permissions.ack };
  const about = `${ended.seq}-${told.length + 1}`;
  return { type: 'notified', role: 'control', data: { reason: 'watch-ended', about, ...audience } };
}
