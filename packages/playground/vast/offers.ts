/** Offers on the market of the simulated Vast.ai, and the filters of a search. */

/** One offer, in the fields and units of the real API: memory in MB, disk in GB, prices in dollars. */
export type Offer = {
  readonly id: number;
  readonly machine_id: number;
  readonly host_id: number;
  readonly gpu_name: string;
  readonly num_gpus: number;
  readonly gpu_ram: number;
  readonly cpu_ram: number;
  readonly disk_space: number;
  readonly reliability2: number;
  readonly score: number;
  readonly verified: boolean;
  readonly external: boolean;
  /** Price of the machine without its disk, in dollars per hour. */
  readonly dph_base: number;
  /** Dollars per GB and month of 30 days. */
  readonly storage_cost: number;
  readonly inet_up_cost: number;
  readonly inet_down_cost: number;
  readonly min_bid: number;
};

export type Filters = Readonly<Record<string, unknown>>;

const HOURS_OF_MONTH = 30 * 24;

/** Price of a disk of that size, in dollars per hour. */
export function storageHourly({ storage_cost }: Offer, diskGb: number): number {
  return (storage_cost * diskGb) / HOURS_OF_MONTH;
}

/** The offer as a search shows it, with the price of a disk of the requested size. */
export function shapeOffer(offer: Offer, diskGb: number, isRented: boolean): Record<string, unknown> {
  const storage = storageHourly(offer, diskGb);
  return {
    ...offer,
    ask_contract_id: offer.id,
    reliability: offer.reliability2,
    storage_total_cost: storage,
    dph_total: offer.dph_base + storage,
    rentable: !isRented,
    rented: isRented,
  };
}

/** Whether an offer or instance passes every filter. An operator that the real API does not have is rejected. */
export function matchesFilters(shaped: Readonly<Record<string, unknown>>, filters: Filters): boolean {
  return Object.entries(filters).every(([field, wanted]) => {
    if (NOT_FILTERS.has(field)) return true;
    if (typeof wanted !== 'object' || wanted === null) throw new BadFilter(`${field} has no operator`);
    return Object.entries(wanted).every(([operator, value]) => compareWith(shaped[field], operator, value));
  });
}

/** An invalid filter; answered with 400. */
export class BadFilter extends Error {
  override readonly name = 'BadFilter';
}

const NOT_FILTERS: ReadonlySet<string> = new Set(['order', 'type', 'limit', 'allocated_storage', 'disable_bundling']);

function compareWith(found: unknown, operator: string, wanted: unknown): boolean {
  switch (operator) {
    case 'eq':
      return isSame(found, wanted);
    case 'neq':
      return !isSame(found, wanted);
    case 'gt':
      return Number(found) > Number(wanted);
    case 'gte':
      return Number(found) >= Number(wanted);
    case 'lt':
      return Number(found) < Number(wanted);
    case 'lte':
      return Number(found) <= Number(wanted);
    case 'in':
      return isList(wanted) && wanted.some((one) => isSame(found, one));
    case 'notin':
      return isList(wanted) && !wanted.some((one) => isSame(found, one));
    default:
      throw new BadFilter(`${operator} is no operator`);
  }
}

function isList(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value)) throw new BadFilter('in and notin take a list');
  return true;
}

/** The client sends numbers as text too (`{"num_gpus": {"eq": "1"}}`). */
function isSame(found: unknown, wanted: unknown): boolean {
  return found === wanted || (typeof found === 'number' && typeof wanted === 'string' && found === Number(wanted));
}

/** Sorts by a requested order, such as `[["dph_total", "asc"]]`. */
export function sortRows<Row extends Readonly<Record<string, unknown>>>(
  rows: readonly Row[],
  order: unknown,
): readonly Row[] {
  const keys = Array.isArray(order) ? order.filter(Array.isArray) : [];
  return rows.toSorted((a, b) => {
    for (const [field, direction] of keys) {
      const [left, right] = [Number(a[String(field)]), Number(b[String(field)])];
      if (left !== right) return direction === 'desc' ? right - left : left - right;
    }
    return 0;
  });
}
