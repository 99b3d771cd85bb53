/** The market: what is offered now that has what a cluster needs, and what would be rented of it. */

import { z } from 'zod';
import type { Market, MarketOffer, MarketRead } from '../../domain/rented.ts';
import { ask, type Said } from './ask.ts';
import { chooseOffers, filtersOf, MB_OF_GB, type Offer, offerSchema } from './offers.ts';
import type { VastSettings } from './settings.ts';

/** An offer that cannot be read is none, and takes nothing from the others: anybody may make one. */
const page = z.object({ offers: z.array(offerSchema.nullable().catch(null)) });

/** One search; whoever rents and whoever only looks ask the same. */
export async function searchOffers(settings: VastSettings): Promise<Said<readonly Offer[]>> {
  const body = filtersOf(settings.cluster);
  const said = await ask(settings, { method: 'POST', path: '/api/v0/bundles/', body }, page);
  if (said.kind === 'unknown') return said;
  const offers = said.value.offers.filter((offer) => offer !== null);
  if (offers.length > 0 || said.value.offers.length === 0) return { kind: 'said', value: offers };
  const message = 'no offer of the answer is one that is known here';
  return { kind: 'unknown', cause: 'lost', status: 200, message, body: null };
}

/** What would be rented at this moment, and among how many. */
export async function readMarket(settings: VastSettings): Promise<MarketRead> {
  const said = await searchOffers(settings);
  if (said.kind === 'unknown') return { kind: 'unknown', message: said.message };
  return { kind: 'read', market: marketOf(said.value, settings) };
}

function marketOf(offers: readonly Offer[], { cluster }: VastSettings): Market {
  const { fitting, unfit } = chooseOffers(offers, cluster);
  const [first] = fitting;
  return { fits: fitting.length, unfit, offer: first === undefined ? null : told(first) };
}

function told(offer: Offer): MarketOffer {
  return {
    offer: offer.id,
    machine: String(offer.machine_id),
    gpu: offer.gpu_name,
    gpus: offer.num_gpus,
    vramGb: Math.floor(offer.gpu_ram / MB_OF_GB),
    ramGb: Math.floor(offer.cpu_ram / MB_OF_GB),
    diskGb: Math.floor(offer.disk_space),
    reliability: offer.reliability2.toFixed(3),
    microdollarsPerHour: Math.round(offer.dph_total * 1_000_000),
  };
}
