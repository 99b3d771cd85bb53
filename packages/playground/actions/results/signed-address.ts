/** Addresses under which bytes are sent and fetched without a token: signed, for one thing, one direction and a while. */

import { results as limits } from '../../limits/limits.ts';
import type { World } from '../../world/world.ts';
import { isSignedBy, sign } from './runtime-token.ts';

type BlobKind = 'artifacts' | 'caches';
/** As Azure's signatures say it (`sp`): create and write, or read. */
type BlobRight = 'cw' | 'r';
export type BlobPlace = { readonly kind: BlobKind; readonly id: number };

/** Two folders above the blob: an Azure client takes the first for the account and the second for the container. */
export const BLOBS = '/_results';

export function signedAddress(world: World, { kind, id }: BlobPlace, right: BlobRight): string {
  const lifeMs = right === 'r' ? limits.downloadAddressLifeMs : limits.uploadAddressLifeMs;
  const path = `${BLOBS}/${kind}/${id}`;
  const query = new URLSearchParams({ se: `${world.clock.now() + lifeMs}`, sp: right });
  query.set('sig', sign(world, `${path} ${query.get('se')} ${right}`));
  return `${world.baseUrl}${path}?${query}`;
}

/** What an address is good for; null when it was not signed here, was changed, or is too old. */
export function placeOf(world: World, url: URL): (BlobPlace & { readonly right: BlobRight }) | null {
  const [, kind, id] = /^\/_results\/(artifacts|caches)\/(\d+)$/.exec(url.pathname) ?? [];
  const [until, right] = [url.searchParams.get('se') ?? '', url.searchParams.get('sp') ?? ''];
  if ((kind !== 'artifacts' && kind !== 'caches') || (right !== 'r' && right !== 'cw')) return null;
  const signature = url.searchParams.get('sig') ?? '';
  if (!isSignedBy(world, `${url.pathname} ${until} ${right}`, signature)) return null;
  return Number(until) > world.clock.now() ? { kind, id: Number(id), right } : null;
}
