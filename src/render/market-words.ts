/** What would be rented before people approve it, and what its machines really cost once they are: the price, in words. */

import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { marketWanted } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { MarketOffer } from '../domain/rented.ts';
import { dollarText } from './dollars.ts';
import { code, count, paragraphs, table, text, utc } from './words.ts';

/** Why an offer does not fit, as the engine names it. */
const UNFIT_WORDS: Readonly<Record<string, string>> = {
  card: 'another card',
  vram: 'too little memory on the card',
  ram: 'too little memory',
  disk: 'too little disk',
  reliability: 'not reliable enough',
  price: 'above the price cap',
  avoided: 'a machine that failed before',
};

/** The offer that would be rented now; null where nothing is rented, or everything was launched. */
export function marketPart(state: RunState): string | null {
  const terms = state.gate?.manifest?.envelope.rental;
  if (terms === undefined || !isBeforeLaunch(state) || state.order !== null) return null;
  const { market } = state.rental;
  if (market === null || marketWanted(state) !== null)
    return 'Machine: the watch has not looked yet at what the market has for this manifest; it does so within minutes.';
  const again =
    'Once it is approved the market is searched again by this rule, and the price that the account then names is held against the cap: a machine that costs more is given back.';
  if (market.unread !== undefined)
    return `Machine: what the market has could not be read at ${utc(market.at)}: ${text(market.unread)}. ${again}`;
  if (market.offer === null)
    return `Machine: **no offer of the market fits** at ${utc(market.at)}${leftOut(market.unfit)}. ${again}`;
  const among = market.fits === 1 ? 'the only one that fits' : `the cheapest of ${market.fits} that fit`;
  return paragraphs(
    `Machine: offer ${market.offer.offer} of machine ${code(market.offer.machine)}, ${among} at ${utc(market.at)}${leftOut(market.unfit)}; of the same price the more reliable is taken. ${again}`,
    offerTable(market.offer, terms.dollarsPerHourMax),
  );
}

function offerTable(offer: MarketOffer, cap: string): string {
  return table(
    ['Card', 'Its memory', 'RAM', 'Disk', 'Reliability', 'An hour, with its disk', 'Cap an hour'],
    [
      [
        `${offer.gpus} × ${text(offer.gpu)}`,
        `${offer.vramGb} GB`,
        `${offer.ramGb} GB`,
        `${offer.diskGb} GB`,
        text(offer.reliability),
        `$${dollarText(offer.microdollarsPerHour, 4)}`,
        `$${text(cap)}`,
      ],
    ],
  );
}

function leftOut(unfit: Readonly<Record<string, number>>): string {
  const parts = Object.entries(unfit).map(([why, many]) => `${many} ${UNFIT_WORDS[why] ?? text(why)}`);
  const all = Object.values(unfit).reduce((sum, one) => sum + one, 0);
  return all === 0 ? '' : `, beside ${count(all, 'other')} (${parts.join(', ')})`;
}

/** What the account says of each machine that was rented, beside the offer that people saw; null before one was seen. */
export function takenPrices({ rental }: RunState): string | null {
  const { machines, market } = rental;
  if (machines.length === 0) return null;
  const taken = machines.map(
    ({ instance, microdollarsPerHour: hourly }) => `machine ${instance} at $${dollarText(hourly, 4)} an hour`,
  );
  const offer = market?.offer ?? null;
  const seen =
    offer === null
      ? ''
      : `; the offer on the card before the approval was $${dollarText(offer.microdollarsPerHour, 4)}`;
  return `Taken: ${taken.join(', ')}, as the account says${seen}.`;
}
