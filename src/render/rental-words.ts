/** Rented machines in words: cost and answers, gates, and incidents. */

import type { AnswerCode } from '../commands/registry.ts';
import type { IncidentFacts } from '../domain/incidents.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { type RentedMoney, rentedMoneyOf } from '../domain/launch/spending.ts';
import { type Machine, TEAR_DOWN_WHY } from '../domain/logbook/events/rental-events.ts';
import { microdollarsOf, offerWanted, presentMachines, rentalTerms } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { PastOf } from '../domain/past-row.ts';
import type { AllGateSentences, AllIncidentWords, Sentences } from './input.ts';
import { code, count, dollarText, listed, ofRun, paragraphs, person, text, utc } from './words.ts';

export const RENTAL_WORDS = {
  kept: (d) =>
    `kept until ${text(utc(d.until))} (${text(d.reason)}): the rented machine stays though its job has ended or makes no step. It costs money meanwhile, and what was approved for the run ends it earlier where that is reached. \`/teardown\` lets it go.`,
  'keep-too-long': (d) =>
    `not kept until ${text(utc(d.until))}: ${text(utc(d.latest))} is the latest by what was approved for the run. Say it again with that, or an earlier time.`,
  'teardown-asked': (d) =>
    `${ofRun(d)}tear-down asked for by ${text(d.by)}: the watch destroys the rented machines of this run within a minute${d.runs === 1 ? ', and the job that runs there is stopped' : ''}. ${d.run === undefined ? 'It is told here' : 'Its own thread is told'} when the account has them no more.`,
} satisfies Partial<Sentences<AnswerCode>>;

const MICRO = 1_000_000;
const MS_OF_HOUR = 3_600_000;

/** What renting has cost and will; null where the run rents nothing, or nobody has looked yet. */
export function rentalPart(state: RunState): string | null {
  const { machines, keep } = state.rental;
  const terms = rentalTerms(state);
  if (terms === null || machines.length === 0) return null;
  const present = presentMachines(state);
  const cost = rentalCost(state);
  if (present.length === 0) return cost;
  const kept =
    keep === null ? null : `Kept until ${utc(keep.until)} by ${person(keep.actor)}: ${text(keep.reason)}.`;
  return paragraphs(
    `Rented: ${listed(present.map(machineText))}. ${cost} ${projection(state, present, terms)}`,
    state.rental.asked === null || (keep !== null && keep.seq > state.rental.asked.seq) ? kept : null,
  );
}

/** The offer that would be rented now; null where nothing is rented, or the launch is ordered. */
export function offerPart(state: RunState): string | null {
  const terms = state.gate?.manifest?.envelope.rental;
  if (terms === undefined || !isBeforeLaunch(state) || state.order !== null) return null;
  const seen = state.rental.offer;
  if (seen === null || offerWanted(state) !== null)
    return 'Machine: the watch searches for an offer within minutes.';
  const { offer, unread } = seen;
  if (unread !== undefined)
    return `Machine: the offers could not be read at ${utc(seen.at)}: ${text(unread)}.`;
  if (offer === null) return `Machine: **no offer fits** at ${utc(seen.at)}.`;
  return `Machine: offer ${offer.offer} of machine ${code(offer.machine)}, ${offer.gpus} × ${text(offer.gpu)} for $${dollarText(offer.microdollarsPerHour, 4)} an hour with its disk (cap $${text(terms.dollarsPerHourMax)}), at ${utc(seen.at)}. The launch searches again and gives back a machine above the cap.`;
}

/** The same with what the lab has rented, for the report that closes the run. */
export function rentalReport(state: RunState, past: PastOf): string | null {
  if (state.rental.machines.length === 0) return null;
  return paragraphs(rentalCost(state), rentedPart(state, past));
}

/** What the runs of its cluster have rented on the day and in the month of its launch, beside the budgets; null: it rents nothing. */
export function rentedPart(state: RunState, past: PastOf): string | null {
  const terms = rentalTerms(state) ?? state.gate?.manifest?.envelope.rental ?? null;
  const cluster = state.order?.manifest?.cluster ?? state.gate?.manifest?.cluster ?? null;
  if (terms === null || cluster === null) return null;
  const all = past(state.proposal.lane);
  if (all.kind === 'unknown') return `What other runs have rented cannot be told now: ${text(all.why)}.`;
  const here = all.value.rented.filter((one) => one.cluster === cluster);
  const day = rentedMoneyOf(state)?.date ?? state.proposal.date;
  const said = (from: string, most: string | null): string => {
    const inIt = here.filter(({ date }) => date.startsWith(from));
    const cap = most === null ? 'no budget' : `of at most $${text(most)}`;
    return `${from}: $${dollarText(sumOf(inIt))} (${cap}, ${count(inIt.length, 'run')})`;
  };
  return `Rented by all runs on ${code(cluster)}, each on the day of its launch: ${said(day, terms.dollarsPerDayMax)}; ${said(day.slice(0, 7), terms.dollarsPerMonthMax)}.`;
}

/** All machines of the run, also those that are gone; null where it had none. */
export function rentalCost(state: RunState): string | null {
  const { machines } = state.rental;
  if (machines.length === 0) return null;
  const isOver = presentMachines(state).length === 0;
  const most = rentalTerms(state)?.dollarsMax ?? null;
  const cap = most === null ? '' : ` of at most $${text(most)}`;
  const estimated = machines.some((one) => one.isEstimated === true)
    ? ' Estimated, as the most that it can be: a machine may have run and stopped between two looks at the account.'
    : '';
  return `${isOver ? 'Cost of renting' : 'Cost so far'}: about **$${dollarText(microdollarsOf(state))}**${cap}, for ${count(machines.length, 'machine')}${isOver ? ', all destroyed' : ''}; disk and traffic included.${estimated}`;
}

function machineText({
  instance,
  status,
  microdollarsPerHour,
  microdollarsPerHourStored,
  tearDown,
}: Machine): string {
  const isUp = status === 'running' || status === 'frozen';
  const rate = isUp ? microdollarsPerHour : microdollarsPerHourStored;
  const going = tearDown !== null && tearDown.endedAt === null ? ', to be destroyed' : '';
  return `machine ${instance} (${status ?? 'provisioned'}${going}, $${dollarText(rate)} an hour${isUp ? '' : ' for its disk'})`;
}

function sumOf(all: readonly RentedMoney[]): number {
  return all.reduce((sum, { microdollars }) => sum + microdollars, 0);
}

/** At the rate of a machine that works: by the pace of the steps where they are known, and at the longest life. */
function projection(
  state: RunState,
  present: readonly Machine[],
  { hoursMax, dollarsMax }: RentalTerms,
): string {
  const spent = microdollarsOf(state);
  const most = Number(dollarsMax) * MICRO;
  const hourly = present.reduce((sum, one) => sum + one.microdollarsPerHour, 0);
  const lookedMs = Date.parse(state.rental.look?.at ?? '');
  const endsMs = Math.max(...present.map(({ createdAt }) => Date.parse(createdAt))) + hoursMax * MS_OF_HOUR;
  const atLongest = spent + (hourly * Math.max(0, endsMs - lookedMs)) / MS_OF_HOUR;
  const longest = `If it lives its longest, about $${dollarText(Math.min(most, atLongest))}.`;
  const { pace, step = null, totalSteps = null } = state.observation ?? {};
  const seconds = pace?.secondsPerStep == null ? null : Number(pace.secondsPerStep);
  if (seconds === null || step === null || totalSteps === null || state.end !== null) return longest;
  const atPace = spent + (hourly * Math.max(0, totalSteps - step) * seconds) / 3_600;
  return `At its pace about $${dollarText(Math.min(most, atPace))} when its steps are done. ${longest}`;
}

export const RENTAL_SENTENCES = {
  'machine-fits': {
    fits: (f) => [
      `a machine is rented for at most $${text(f.price)} an hour and ${count(f.hours, 'hour')}, all of them for at most $${text(f.total)}`,
    ],
    'not-rented': (f) => [
      `on ${code(f.cluster)} nothing is rented`,
      'name a cluster of the engine that rents machines in the lane',
    ],
    'beyond-lab': (f) => [
      `more than this lab rents: ${listed(f.beyond.map(text))}`,
      'ask for less in the issue, or have the cluster changed in the config',
    ],
  },
  'secrets-named': {
    named: (f) => [
      f.names.length === 0
        ? 'no secret reaches the machine'
        : `the machine gets ${listed(f.names.map(code))}, which the lane names`,
    ],
    unnamed: (f) => [
      `the lane names no ${listed(f.names.map(code))}, and the host of the machine is a stranger`,
      'take it out of the issue, or have `passSecrets` of the lane changed in the config',
    ],
  },
  'reductions-bounded': {
    none: () => ['nothing is made smaller without asking'],
    bounded: (f) => [`when memory runs out, one after the other: ${listed(f.steps.map(code))}`],
    'not-batch-first': (f) => [
      `${code(f.first)} comes first, and it is not the batch`,
      'put a smaller batch first: it changes the least of what is learned',
    ],
    'not-in-command': (f) => [
      `the command has nothing that ${code(f.step)} would make smaller`,
      'name an option or a variable of the command, as it stands there',
    ],
    'not-smaller': (f) => [
      `${code(f.step)} is not smaller than ${code(f.now)}`,
      'each step has to be a smaller number than the one before',
    ],
  },
  'early-stop-sane': {
    none: () => ['the job does not stop before its last step'],
    sane: (f) => [`the job may stop early: ${code(f.says)}, of ${f.of} steps`],
    'no-final-step': () => [
      'the job may stop early, and nobody says how many steps it has',
      'say the final step in the issue',
    ],
    'too-small': (f) => [
      `it would stop too early: ${listed(f.small.map(text))}`,
      'say more in the issue, or `none`: a stop that comes too early ends good runs',
    ],
  },
  'bottleneck-measured': {
    none: () => ['nothing is optimised'],
    measured: (f) => [`it optimises what ${code(f.baseline)} has measured: ${text(f.measured)}`],
    'no-baseline': (f) => [
      `${code(f.baseline)} is no run of this lane that was sealed as a pass`,
      'name one, or say `none`: first a stable baseline, then its measured bottleneck',
    ],
  },
} satisfies Partial<AllGateSentences>;

function rungWords({ rung, with: what = '' }: IncidentFacts<'rung-taken'>): string {
  switch (rung) {
    case 'rerun':
      return 'as it was';
    case 'repair':
      return `with ${code(what)}`;
    case 'reduce':
      return `with the smaller config ${code(what)}`;
    case 'other-machine':
      return 'on another machine';
  }
}

export const RENTAL_INCIDENT_WORDS = {
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
} satisfies Partial<AllIncidentWords>;
