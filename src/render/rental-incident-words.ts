/** What ferrybot says of the ladder of a rental, and of rented machines that go, stay, idle or cost too much. */

import type { IncidentCode, IncidentFacts } from '../domain/incidents.ts';
import { TEAR_DOWN_WHY } from '../domain/logbook/events/rental-events.ts';
import type { IncidentWords } from './incident-told.ts';
import { code, count, text, utc } from './words.ts';

type RentalIncident = Extract<
  IncidentCode,
  | 'config-reduced'
  | 'rung-taken'
  | 'attempt-goes-on'
  | 'machine-idle'
  | 'machine-destroyed'
  | 'machine-still-there'
  | 'machine-lost'
  | 'account-unreadable'
  | 'budget-nearly-used'
  | 'balance-short'
>;

/** How the next attempt differs from the one that failed. */
function rungWords({ rung, with: what = '' }: IncidentFacts<'rung-taken'>): string {
  switch (rung) {
    case 'rerun':
      return 'as it was';
    case 'repair':
    case 'reduce':
      return `with ${code(what)}`;
    case 'other-machine':
      return 'on another machine';
  }
}

export const RENTAL_INCIDENT_WORDS: { readonly [Code in RentalIncident]: IncidentWords<Code> } = {
  'config-reduced': {
    title: 'The next attempt has a smaller config',
    evidence: (d) =>
      `the attempt before attempt ${d.attempt} ended with ${code(d.failure)}; attempt ${d.attempt} is started with ${code(d.reduction)}, as the approved manifest allows.`,
    did: 'It was ordered with that one change; everything else is as it was approved.',
    todo: 'Nothing has to be done. `/stop` ends it; what it reaches is not what the larger config would have.',
  },
  'rung-taken': {
    title: 'The job is started again',
    evidence: (d) =>
      `The attempt before attempt ${d.attempt} ended with ${code(d.failure)}; attempt ${d.attempt} is started ${rungWords(d)}, as the approved manifest allows.`,
    did: 'It was ordered, and is watched from its beginning. The machine of the attempt before is destroyed.',
    todo: 'Nothing has to be done. `/hold` keeps it back, `/stop` ends it.',
    todoFor: (d) =>
      `Nothing has to be done; ${d.left === 0 ? 'after this attempt no other one follows without a person' : `${count(d.left, 'restart')} may follow`}. \`/hold\` keeps it back, \`/stop\` ends it.`,
  },
  'attempt-goes-on': {
    title: 'The new attempt has got further than the one before',
    evidence: (d) =>
      d.beyond === undefined
        ? `Attempt ${d.attempt} is at step ${d.step}; attempt ${d.earlier} made none.`
        : `Attempt ${d.attempt} is at step ${d.step}; attempt ${d.earlier} had reached step ${d.beyond}.`,
    did: 'What was done about the failure counts as verified. The watch goes on as ever.',
    todo: 'Nothing.',
  },
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
