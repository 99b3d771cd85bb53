/** Searches the offers of Vast.ai for what a cluster needs. */

import { z } from 'zod';
import type { OfferRead } from '../../domain/rented.ts';
import { ask, type Said } from './ask.ts';
import { chooseOffers, filtersOf, type Offer, offerSchema } from './offers.ts';
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

/** The offer that would be rented now. */
export async function readOffer(settings: VastSettings): Promise<OfferRead> {
  const said = await searchOffers(settings);
  if (said.kind === 'unknown') return { kind: 'unknown', message: said.message };
  const [first] = chooseOffers(said.value, settings.cluster).fitting;
  if (first === undefined) return { kind: 'read', offer: null };
  const { id: offer, machine_id, gpu_name: gpu, num_gpus: gpus, dph_total } = first;
  const microdollarsPerHour = Math.round(dph_total * 1_000_000);
  return { kind: 'read', offer: { offer, machine: String(machine_id), gpu, gpus, microdollarsPerHour } };
}
