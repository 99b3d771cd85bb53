/** What ferrybot says of rented machines that go, stay, idle or cost too much. */

import type { IncidentCode } from '../domain/incidents.ts';
import { TEAR_DOWN_WHY } from '../domain/logbook/events/rental-events.ts';
import type { IncidentWords } from './incident-told.ts';
import { count, text, utc } from './words.ts';

type RentalIncident = Extract<
  IncidentCode,
  | 'machine-idle'
  | 'machine-destroyed'
  | 'machine-still-there'
  | 'machine-lost'
  | 'account-unreadable'
  | 'budget-nearly-used'
  | 'balance-short'
>;

export const RENTAL_INCIDENT_WORDS: { readonly [Code in RentalIncident]: IncidentWords<Code> } = {
  'machine-idle': {
    title: 'A rented machine does nothing',
    evidence: (d) => `No step of the job has moved on machine ${d.instance} since ${text(utc(d.since))}.`,
    did: 'Nothing yet. What is rented costs money whatever it does: without a step it is destroyed.',
    todo: '`/keep until=18:30 reason="why"` keeps it for somebody who wants to look; `/teardown` destroys it now.',
    todoFor: (d) =>
      `nothing, if it may be destroyed: that happens by ${text(utc(d.at))} unless a step moves. \`/keep until=18:30 reason="why"\` keeps it for somebody who wants to look; \`/teardown\` destroys it now.`,
  },
  'machine-destroyed': {
    title: 'A rented machine was destroyed',
    evidence: (d) =>
      `Machine ${d.instance}, because ${TEAR_DOWN_WHY[d.reason]}. It has cost about $${text(d.dollars)}.`,
    did: 'The account was read again, whole, and has it no more: it costs nothing from now on.',
    todo: 'Nothing.',
  },
  'machine-still-there': {
    title: 'A rented machine cannot be shown to be destroyed',
    evidence: (d) =>
      `Machine ${d.instance} was to be destroyed since ${text(utc(d.since))}, because ${TEAR_DOWN_WHY[d.reason]}, and the account still has it.`,
    did: 'ferrybot asks again at every look, and says this again until the account has it no more.',
    todo: 'Destroy it by hand in the console of whoever rents it out: it costs money until then.',
  },
  'machine-lost': {
    title: 'A rented machine is gone, and ferrybot did not destroy it',
    evidence: (d) => `The account has machine ${d.instance} no more. It has cost about $${text(d.dollars)}.`,
    did: 'It costs nothing from now on. If its job had not ended before, it has now.',
    todo: 'Find out who took it: its host, somebody with the key of the account, or the machine itself, which ends at its longest life and a while after its job.',
  },
  'account-unreadable': {
    title: 'The account with the rented machines cannot be read',
    evidence: (d) => `Since ${text(utc(d.since))}: ${text(d.message)}.`,
    did: 'Nothing is destroyed and nothing counts as gone; ferrybot reads it again. Each machine ends itself at its longest life.',
    todo: 'Look into the console of whoever rents them out, and at whether the key is still good.',
  },
  'budget-nearly-used': {
    title: 'What the run may cost is nearly used up',
    evidence: (d) => `Its machines have cost about $${text(d.dollars)} of $${text(d.most)}.`,
    did: 'The job goes on. Where the cap is reached its machines are destroyed.',
    todo: 'Nothing, if it is done by then. The cap was approved with the manifest, and no command raises it.',
  },
  'balance-short': {
    title: 'The account cannot pay its machines until the next look',
    evidence: (d) =>
      `It has $${text(d.credit)}, and what is rented on it costs $${text(d.needed)} in the next ${count(d.minutes, 'minute')}.`,
    did: 'Nothing. An account without credit has its machines stopped in the middle of their work.',
    todo: 'Add credit, or `/teardown` what is not needed.',
  },
};
