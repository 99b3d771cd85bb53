/** Asks who is in charge by a contract that somebody else wrote: once, and before anything is launched. */

import { permits } from '../domain/actor.ts';
import type { RunFacts } from '../domain/facts.ts';
import { isSameLogin, personInCharge } from '../domain/launch/contract.ts';
import { isNotified, type RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

/** The login of who is still to be asked; null where nobody is. */
function loginToAsk(state: RunState): string | null {
  const { contract, proposal, submission, attempts, watch } = state;
  const dri = personInCharge(contract);
  if (dri === null || submission !== null || attempts.length > 0) return null;
  if (isSameLogin(dri, proposal.author.login)) return null;
  if (watch.owner !== null && isSameLogin(dri, watch.owner.login)) return null;
  return isNotified(state, { reason: 'dri-asked', about: dri }) ? null : dri;
}

/** Mentioned by the account that works here under that name; where there is none, the thread says so. */
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
