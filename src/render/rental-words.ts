/** Rented machines in words: what they cost so far and will, how long they are kept, and what commands about them did. */

import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import type { RentalTerms } from '../domain/launch/rental-terms.ts';
import { type RentedMoney, rentedMoneyOf } from '../domain/launch/spending.ts';
import type { Machine } from '../domain/logbook/events/rental-events.ts';
import { microdollarsOf, offerWanted, presentMachines, rentalTerms } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { PastOf } from '../domain/past-row.ts';
import type { Sentences } from './answer-view.ts';
import { dollarText } from './dollars.ts';
import { code, count, listed, ofRun, paragraphs, person, text, utc } from './words.ts';

type RentalAnswer =
  | 'kept'
  | 'keep-nothing'
  | 'keep-past'
  | 'keep-too-long'
  | 'keep-never'
  | 'teardown-asked'
  | 'teardown-nothing';

export const RENTAL_WORDS: Sentences<RentalAnswer> = {
  kept: (d) =>
    `kept until ${text(utc(d.until))} (${text(d.reason)}): the rented machine stays though its job has ended or makes no step. It costs money meanwhile, and what was approved for the run ends it earlier where that is reached. \`/teardown\` lets it go.`,
  'keep-nothing': () => 'nothing to keep: this run has no rented machine.',
  'keep-past': (d) => `not kept: ${text(utc(d.until))} is over.`,
  'keep-too-long': (d) =>
    `not kept until ${text(utc(d.until))}: ${text(utc(d.latest))} is the latest by what was approved for the run. Say it again with that, or an earlier time.`,
  'keep-never': () =>
    'not kept: what was approved for the run leaves no time for it, and the machine ends by itself.',
  'teardown-asked': (d) =>
    `${ofRun(d)}tear-down asked for by ${text(d.by)}: the watch destroys the rented machines of this run within a minute${d.runs === 1 ? ', and the job that runs there is stopped' : ''}. ${d.run === undefined ? 'It is told here' : 'Its own thread is told'} when the account has them no more.`,
  'teardown-nothing': (d) => `${ofRun(d)}nothing to tear down: this run has no rented machine.`,
};

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
