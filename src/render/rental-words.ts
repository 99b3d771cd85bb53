/** Rented machines in words: cost and answers, gates, and incidents. */

import type { IncidentFacts } from '../domain/incidents.ts';
import type { RentalTerms } from '../domain/launch/manifest.ts';
import { type Machine, TEAR_DOWN_WHY } from '../domain/logbook/events/rental-events.ts';
import { presentMachines, rentalTerms, sumMicrodollars } from '../domain/logbook/holdings.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type PastRunsReader, type RentedMoney, sumRentedMoney } from '../domain/past-runs.ts';
import { formatDuration, formatMicrodollars, formatMoney, MICRODOLLARS } from '../domain/values.ts';
import type { AllGateSentences, AllIncidentWords } from './input.ts';
import { code, count, joinAnd, paragraphs, person, text, utc } from './words.ts';

const MS_OF_HOUR = 3_600_000;

/** The past and expected cost of renting; null if the run has rented nothing yet. */
export function renderRental(state: RunState): string | null {
  const { machines, keepRequest } = state.rental;
  const terms = rentalTerms(state);
  if (terms === null || machines.length === 0) return null;
  const present = presentMachines(state);
  const cost = renderRentalCost(state);
  if (present.length === 0) return cost;
  const kept =
    keepRequest === null
      ? null
      : `Kept until ${utc(keepRequest.until)} by ${person(keepRequest.actor)}: ${text(keepRequest.reason)}.`;
  return paragraphs(
    `Rented: ${joinAnd(present.map(describeMachine))}. ${cost} ${projectCost(state, present, terms)}`,
    state.rental.tearDownRequest === null ||
      (keepRequest !== null && keepRequest.seq > state.rental.tearDownRequest.seq)
      ? kept
      : null,
  );
}

/** The cost of renting with the lab's total, for the closing report. */
export function renderRentalReport(state: RunState, past: PastRunsReader): string | null {
  if (state.rental.machines.length === 0) return null;
  return paragraphs(renderRentalCost(state), renderRented(state, past));
}

/** The rented total of its cluster on the day and in the month of its launch, with the budgets; null if the run rents nothing. */
export function renderRented(state: RunState, past: PastRunsReader): string | null {
  const terms = rentalTerms(state) ?? state.gate?.manifest?.envelope.rental ?? null;
  const cluster = state.order?.manifest?.cluster ?? state.gate?.manifest?.cluster ?? null;
  if (terms === null || cluster === null) return null;
  const all = past(state.proposal.lane);
  if (all.kind === 'unknown') return `The rented total of other runs is unknown now: ${text(all.why)}.`;
  const here = all.value.rented.filter((one) => one.cluster === cluster);
  const day = sumRentedMoney(state)?.date ?? state.proposal.date;
  const formatSpent = (from: string, most: string | null): string => {
    const inIt = here.filter(({ date }) => date.startsWith(from));
    const cap = most === null ? 'no budget' : `of at most ${formatMoney(most)}`;
    return `${from}: ${formatMicrodollars(sumDollars(inIt))} (${cap}, ${count(inIt.length, 'run')})`;
  };
  return `Rented by all runs on ${code(cluster)}, each on the day of its launch: ${formatSpent(day, terms.dollarsPerDayMax)}; ${formatSpent(day.slice(0, 7), terms.dollarsPerMonthMax)}.`;
}

/** The cost of all machines of the run, including destroyed ones; null without any. */
export function renderRentalCost(state: RunState): string | null {
  const { machines } = state.rental;
  if (machines.length === 0) return null;
  const isOver = presentMachines(state).length === 0;
  const most = rentalTerms(state)?.dollarsMax ?? null;
  const cap = most === null ? '' : ` of at most ${formatMoney(most)}`;
  const estimated = machines.some((one) => one.isEstimated === true)
    ? ' This is the highest possible estimate: a machine may have run and stopped between two checks of the account.'
    : '';
  return `${isOver ? 'Cost of renting' : 'Cost so far'}: about **${formatMicrodollars(sumMicrodollars(state))}**${cap}, for ${count(machines.length, 'machine')}${isOver ? ', all destroyed' : ''}; disk and traffic included.${estimated}`;
}

function describeMachine({
  instance,
  status,
  microdollarsPerHour,
  microdollarsPerHourStored,
  tearDown,
}: Machine): string {
  const isUp = status === 'running' || status === 'frozen';
  const rate = isUp ? microdollarsPerHour : microdollarsPerHourStored;
  const going = tearDown !== null && tearDown.endedAt === null ? ', to be destroyed' : '';
  return `machine ${instance} (${status ?? 'provisioned'}${going}, ${formatMicrodollars(rate)} an hour${isUp ? '' : ' for its disk'})`;
}

function sumDollars(all: readonly RentedMoney[]): number {
  return all.reduce((sum, { microdollars }) => sum + microdollars, 0);
}

/** At the rate of a working machine: at the pace of the steps, if known, and at the maximum lifetime. */
function projectCost(state: RunState, present: readonly Machine[], { hoursMax, dollarsMax }: RentalTerms): string {
  const spent = sumMicrodollars(state);
  const most = Number(dollarsMax) * MICRODOLLARS;
  const hourly = present.reduce((sum, one) => sum + one.microdollarsPerHour, 0);
  const lookedMs = Date.parse(state.rental.lastListing?.at ?? '');
  const endsMs = Math.max(...present.map(({ createdAt }) => Date.parse(createdAt))) + hoursMax * MS_OF_HOUR;
  const atLongest = spent + (hourly * Math.max(0, endsMs - lookedMs)) / MS_OF_HOUR;
  const longest = `At its maximum lifetime about ${formatMicrodollars(Math.min(most, atLongest))}.`;
  const { pace, step = null, totalSteps = null } = state.observation ?? {};
  const seconds = pace?.secondsPerStep == null ? null : Number(pace.secondsPerStep);
  if (seconds === null || step === null || totalSteps === null || state.end !== null) return longest;
  const atPace = spent + (hourly * Math.max(0, totalSteps - step) * seconds) / 3_600;
  return `At its pace about ${formatMicrodollars(Math.min(most, atPace))} when its steps are done. ${longest}`;
}

export const RENTAL_SENTENCES = {
  'machine-fits': {
    fits: (f) =>
      `a machine is rented for at most ${formatMoney(f.price)} an hour and ${count(f.hours, 'hour')}, all of them for at most ${formatMoney(f.total)}`,
    'not-rented': (f) => [
      `the cluster ${f.cluster} rents no machines`,
      "set the lane's cluster to one with an engine that rents machines",
    ],
    'beyond-lab': (f) => [
      `exceeds the limits of this lab: ${joinAnd(f.beyond)}`,
      'request less in the issue, or change the cluster in the config',
    ],
  },
  'secrets-named': {
    named: (f) =>
      f.names.length === 0
        ? 'no secret reaches the machine'
        : `the machine gets ${joinAnd(f.names)}, which the lane names`,
    unnamed: (f) => [
      `the lane does not name ${joinAnd(f.names)}, and the host of the machine is a stranger`,
      "remove it from the issue, or add it to the lane's `passSecrets` in the config",
    ],
  },
  'reductions-bounded': {
    none: () => 'no setting is reduced without asking',
    bounded: (f) => `if memory runs out, in this order: ${joinAnd(f.steps)}`,
    'not-batch-first': (f) => [
      `${f.first} comes first, and it is not the batch`,
      'put a smaller batch first: it changes training least',
    ],
    'not-in-command': (f) => [
      `the command has no setting that ${f.step} would reduce`,
      'name an option or a variable exactly as the command has it',
    ],
    'not-smaller': (f) => [
      `${f.step} is not smaller than ${f.now}`,
      'each step must be a smaller number than the one before',
    ],
  },
  'early-stop-sane': {
    none: () => 'the job does not stop before its last step',
    sane: (f) => `the job may stop early: ${f.says}, of ${f.of} steps`,
    'no-final-step': () => [
      'the job may stop early, and its number of steps is unknown',
      'add the final step to the issue',
    ],
    'too-small': (f) => [
      `it would stop too early: ${joinAnd(f.small)}`,
      'increase it in the issue, or write `none`: a stop that comes too early ends good runs',
    ],
  },
  'bottleneck-measured': {
    none: () => 'nothing is optimised',
    measured: (f) => `it optimises what ${f.baseline} has measured: ${f.measured}`,
    'no-baseline': (f) => [
      `${f.baseline} is not a run of this lane that was sealed as a pass`,
      'name one, or write `none`: measure the bottleneck of a stable baseline first',
    ],
  },
} satisfies Partial<AllGateSentences>;

/** How the next attempt differs. `with` is Markdown. */
export function describeLadderStep({
  rung,
  with: what = '',
}: Pick<IncidentFacts<'rung-taken'>, 'rung' | 'with'>): string {
  switch (rung) {
    case 'rerun':
      return 'unchanged';
    case 'repair':
      return `with ${what}`;
    case 'reduce':
      return `with the smaller config ${what}`;
    case 'other-machine':
      return 'on another machine';
  }
}

/** Reused in several incidents: a machine that is gone costs nothing, and a person can keep or destroy any other machine. */
const NO_COST = 'It costs nothing from now on.';
const KEEP = '`/keep until=18:30 reason="why"` keeps it for an investigation; `/teardown` destroys it now.';

export const RENTAL_INCIDENT_WORDS = {
  'rung-taken': {
    title: 'The job is started again',
    evidence: (d) =>
      `The attempt before attempt ${d.attempt} ended with ${d.failure}; attempt ${d.attempt} starts ${describeLadderStep(d)}, as the approved manifest permits.`,
    did: 'ferrybot ordered and watches it. It destroys the machine of the attempt before.',
    todo: 'Nothing has to be done. `/hold` delays it, `/stop` ends it.',
    todoFor: (d) =>
      `Nothing has to be done; ${d.left === 0 ? 'any further attempt needs a person' : `${count(d.left, 'restart')} may follow`}. \`/hold\` delays it, \`/stop\` ends it.`,
  },
  'attempt-goes-on': {
    title: 'The new attempt has got further than the one before',
    evidence: (d) =>
      `Attempt ${d.attempt} is at step ${d.step}; attempt ${d.earlier} ${d.beyond === undefined ? 'made none' : `had reached step ${d.beyond}`}.`,
    did: 'The response to the failure counts as verified. The watch continues.',
    todo: 'Nothing.',
  },
  'machine-idle': {
    title: 'A rented machine does nothing',
    evidence: (d) => `The job has made no step on machine ${d.instance} since ${d.since}.`,
    did: 'Nothing yet. An idle machine costs money: without a step ferrybot destroys it.',
    todo: KEEP,
    todoFor: (d) => `nothing, if ferrybot may destroy it: it does by ${d.at} unless the job makes a step. ${KEEP}`,
  },
  'machine-destroyed': {
    title: 'A rented machine was destroyed',
    evidence: (d) =>
      `Machine ${d.instance}, because ${TEAR_DOWN_WHY[d.reason]}. It has cost about ${formatMoney(d.dollars)}.`,
    did: `A complete list of the account no longer contains it. ${NO_COST}`,
    todo: 'Nothing.',
  },
  'machine-still-there': {
    title: 'The destruction of a rented machine is not confirmed',
    evidence: (d) =>
      `ferrybot destroys machine ${d.instance} since ${d.since}, because ${TEAR_DOWN_WHY[d.reason]}, and the account still lists it.`,
    did: 'ferrybot tries again at every check, and reports this again until the machine is gone.',
    todo: "Destroy it by hand in the provider's console: it costs money until then.",
  },
  'machine-lost': {
    title: 'A rented machine is gone, and ferrybot did not destroy it',
    evidence: (d) => `The account no longer lists machine ${d.instance}. It has cost about ${formatMoney(d.dollars)}.`,
    did: `${NO_COST} Its job has ended with it.`,
    todo: 'Find the cause: its host, a person with the key of the account, or the machine itself, which ends at its maximum lifetime and some time after its job.',
  },
  'account-unreadable': {
    title: 'The account with the rented machines cannot be read',
    evidence: (d) => `Since ${d.since}: ${d.message}.`,
    did: 'ferrybot destroys nothing, counts no machine as gone, and retries. Each machine ends itself at its maximum lifetime.',
    todo: "Check the provider's console, and whether the key is still valid.",
  },
  'budget-nearly-used': {
    title: 'The approved cost of the run is almost reached',
    evidence: (d) => `Its machines have cost about ${formatMoney(d.dollars)} of ${formatMoney(d.most)}.`,
    did: 'The job continues. At the cap ferrybot destroys its machines.',
    todo: 'Nothing, if it finishes in time. The cap was approved with the manifest, and no command raises it.',
  },
  'balance-short': {
    title: 'The account cannot pay its machines until the next check',
    evidence: (d) =>
      `It has ${formatMoney(d.credit)}, and its machines cost ${formatMoney(d.needed)} in the next ${formatDuration(d.minutes * 60_000)}.`,
    did: 'Nothing. The provider stops the machines of an account without credit during their work.',
    todo: 'Add credit, or `/teardown` machines that are not needed.',
  },
} satisfies Partial<AllIncidentWords>;
