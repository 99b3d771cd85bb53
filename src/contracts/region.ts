/** Regions by their names: what a bucket is called after, and what a contract or a cluster says. */

const REGION =
  /(?:^|[^a-z])(us|eu|europe|asia|me|africa|australia|northamerica|southamerica|ca|sa|ap|af|il)-(central|north|south|east|west|northeast|northwest|southeast|southwest)-?0?(\d{1,2})(?!\d)/i;

/** As `us-central2`, whatever zone follows; null where the text names none. */
export function regionIn(text: string): string | null {
  const [, area, side, number] = REGION.exec(text) ?? [];
  return area === undefined ? null : `${area}-${side}${number}`.toLowerCase();
}

/** The region that a place in a store is named after: only its bucket says where it lies. */
export function regionOfBucket(path: string): string | null {
  const [, bucket] = /^(?:gs|s3):\/\/([^/]+)/.exec(path) ?? [];
  return bucket === undefined ? null : regionIn(bucket);
}
