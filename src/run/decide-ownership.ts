/** Offers that nobody took, and the question to the DRI. */

import { permits } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { isSameLogin, personInCharge } from '../domain/launch/contract.ts';
import { openOffer, ownerOf } from '../domain/logbook/ownership.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotified } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

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
