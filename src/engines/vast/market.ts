/** Searches the offers of Vast.ai for what a cluster needs. */

import { z } from 'zod';
import type { OfferRead } from '../../domain/care/machines.ts';
import { formatMoney, formatNumber } from '../../domain/values.ts';
import { unknownOutcome } from '../shared/kit.ts';
import type { VastCluster } from './definition.ts';
import { buildNoAnswer, call, type Reply, type VastSettings } from './request.ts';

/** Hosts report their own machines, so every size has an upper limit. */
const size = z.number().min(0).max(1e12);

/** A market offer in the API's units: memory in MB, disk in GB, dollars per hour with the requested disk. */
export const offerSchema = z
  .object({
    id: z.int(),
    machine_id: z.int(),
    gpu_name: z.string(),
    num_gpus: z.int(),
    gpu_ram: size,
    cpu_ram: size,
    disk_space: size,
    reliability2: z.number(),
    dph_total: z.number().positive().max(1e9),
  })
  .readonly();

export type Offer = z.infer<typeof offerSchema>;

export type OfferNeeds = Pick<
  VastCluster,
  'gpu' | 'gpus' | 'vramGb' | 'ramGb' | 'diskGb' | 'reliability' | 'dollarsPerHourMax'
>;

/** Hard requirements, no preferences: each is a reason not to rent. */
export type UnfitReason = 'avoided' | 'card' | 'vram' | 'ram' | 'disk' | 'reliability' | 'price';

const UNFIT_WORDS: Readonly<Record<UnfitReason, string>> = {
  avoided: 'on an avoided machine',
  card: 'with another card',
  vram: 'with too little GPU memory',
  ram: 'with too little memory',
  disk: 'with too little disk',
  reliability: 'too unreliable',
  price: 'too expensive',
};

/** A card of 24 GB reports 24,564 MB or 24,077 MB: the real size is never exactly the advertised size. */
const NOMINAL = 0.97;
const MB_OF_GB = 1_000;

/** Why an offer does not fit; null: it fits. */
export function findUnfitReason(offer: Offer, needs: OfferNeeds, avoid: readonly string[] = []): UnfitReason | null {
  if (avoid.includes(String(offer.machine_id))) return 'avoided';
  if (offer.gpu_name !== needs.gpu || offer.num_gpus !== needs.gpus) return 'card';
  if (offer.gpu_ram < needs.vramGb * MB_OF_GB * NOMINAL) return 'vram';
  if (offer.cpu_ram < needs.ramGb * MB_OF_GB * NOMINAL) return 'ram';
  if (offer.disk_space < needs.diskGb) return 'disk';
  // rule VA-06
  if (offer.reliability2 < Number(needs.reliability)) return 'reliability';
  return offer.dph_total <= Number(needs.dollarsPerHourMax) ? null : 'price';
}

export type OfferChoice = {
  /** Fitting offers, the cheapest first. At the same price, the more reliable one comes first, then the older one. */
  readonly fitting: readonly Offer[];
  readonly unfit: Readonly<Partial<Record<UnfitReason, number>>>;
};

/** Selects and sorts the fitting offers. */
export function chooseOffers(offers: readonly Offer[], needs: OfferNeeds, avoid: readonly string[] = []): OfferChoice {
  const judged = offers.map((offer) => ({ offer, why: findUnfitReason(offer, needs, avoid) }));
  const counts: Partial<Record<UnfitReason, number>> = {};
  for (const { why } of judged) if (why !== null) counts[why] = (counts[why] ?? 0) + 1;
  const fitting = judged
    .flatMap(({ offer, why }) => (why === null ? [offer] : []))
    .toSorted((a, b) => a.dph_total - b.dph_total || b.reliability2 - a.reliability2 || a.id - b.id);
  return { fitting, unfit: counts };
}

/** One line with the chosen offer and the number of other offers. */
export function explainChoice({ id, machine_id, dph_total, reliability2 }: Offer, choice: OfferChoice): string {
  const others = Object.entries(choice.unfit).map(([why, count]) => `${count} ${UNFIT_WORDS[why as UnfitReason]}`);
  return [
    `offer ${id} of machine ${machine_id}`,
    `${formatMoney(dph_total)} an hour`,
    `reliability ${formatNumber(reliability2)}`,
    `the cheapest of ${choice.fitting.length} that fit`,
    ...(others.length === 0 ? [] : [`left out: ${others.join(', ')}`]),
  ].join('; ');
}

/** The same needs as search filters, so that the market returns some dozens of offers instead of all. */
export function searchFilters(needs: OfferNeeds): Readonly<Record<string, unknown>> {
  return {
    verified: { eq: true },
    external: { eq: false },
    rentable: { eq: true },
    rented: { eq: false },
    gpu_name: { eq: needs.gpu },
    num_gpus: { eq: needs.gpus },
    gpu_ram: { gte: needs.vramGb * MB_OF_GB * NOMINAL },
    cpu_ram: { gte: needs.ramGb * MB_OF_GB * NOMINAL },
    disk_space: { gte: needs.diskGb },
    reliability2: { gte: Number(needs.reliability) },
    dph_total: { lte: Number(needs.dollarsPerHourMax) },
    order: [['dph_total', 'asc']],
    type: 'on-demand',
    allocated_storage: needs.diskGb,
    limit: 64,
  };
}

/** An unreadable offer is skipped and does not affect the others, because every host can create offers. */
const page = z.object({ offers: z.array(offerSchema.nullable().catch(null)) });

/** One search, the same for a rental and for a preview. */
export async function searchOffers(settings: VastSettings): Promise<Reply<readonly Offer[]>> {
  const body = searchFilters(settings.cluster);
  const said = await call(settings, { method: 'POST', path: '/api/v0/bundles/', body }, page);
  if (said.kind === 'unknown') return said;
  const offers = said.value.offers.filter((offer) => offer !== null);
  if (offers.length > 0 || said.value.offers.length === 0) return { kind: 'said', value: offers };
  return buildNoAnswer('lost', 200, 'no offer of the answer is one that is known here');
}

/** The offer that would be rented now. */
export async function readOffer(settings: VastSettings): Promise<OfferRead> {
  const said = await searchOffers(settings);
  if (said.kind === 'unknown') return unknownOutcome(said.message);
  const [first] = chooseOffers(said.value, settings.cluster).fitting;
  if (first === undefined) return { kind: 'read', offer: null };
  const { id: offer, machine_id, gpu_name: gpu, num_gpus: gpus, dph_total } = first;
  const microdollarsPerHour = Math.round(dph_total * 1_000_000);
  return { kind: 'read', offer: { offer, machine: String(machine_id), gpu, gpus, microdollarsPerHour } };
}
