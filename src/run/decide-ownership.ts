/** Expired offers and ended watches. */

import { permits } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { isSameLogin, personInCharge } from '../domain/launch/contract.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { openOffer, ownerOf, untakenWatchEnd } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotified } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

const HOUR_MS = 3_600_000;

/** The owner keeps the watch, and the people on call are notified. */
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

/** The reminder about an ended watch without a decision; the job's end has its own reminders. */
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

/**
 * Asks the contract's DRI once before the launch. Mentions the account only if that person has a role here; otherwise the text names the
 * login.
 */
export function decideCharge(
  state: RunState,
  { people }: RunFacts,
  { permissions }: LaneScopedConfig,
): Step | null {
  const dri = loginToAsk(state);
  if (dri === null) return null;
  if (isNotAsked(people)) return need('people');
  if (people.kind === 'unknown') return null;
  const person = people.value.find(({ actor }) => isSameLogin(actor.login, dri));
  const may = person !== undefined && permits(person.permission, permissions.watch);
  const mentioned = may ? { people: [person.actor.id] } : {};
  return append({
    type: 'notified',
    role: 'control',
    data: { reason: 'dri-asked', about: dri, ...mentioned },
  });
}

/** The DRI who must still be asked, or null. */
function loginToAsk(state: RunState): string | null {
  const { contract, proposal, submission, attempts, watch } = state;
  const dri = personInCharge(contract);
  if (dri === null || submission !== null || attempts.length > 0) return null;
  if (isSameLogin(dri, proposal.author.login)) return null;
  if (watch.owner !== null && isSameLogin(dri, watch.owner.login)) return null;
  return isNotified(state, { reason: 'dri-asked', about: dri }) ? null : dri;
}
