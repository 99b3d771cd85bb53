/**
 * Signed addresses to upload or download bytes without a token. Each is valid for one blob, one direction and a limited
 * time.
 */

import { results as limits } from '../../limits/limits.ts';
import type { World } from '../../world/world.ts';
import { isSignedBy, sign } from './runtime-token.ts';

type BlobKind = 'artifacts' | 'caches';
/** The values of `sp` in Azure's signatures: create and write, or read. */
type BlobRight = 'cw' | 'r';
export type BlobPlace = { readonly kind: BlobKind; readonly id: number };

/**
 * Two path segments before the blob: an Azure client reads the first as the account and the second as the container.
 */
export const BLOBS = '/_results';

export function signedAddress(world: World, { kind, id }: BlobPlace, right: BlobRight): string {
  const lifeMs = right === 'r' ? limits.downloadAddressLifeMs : limits.uploadAddressLifeMs;
  const path = `${BLOBS}/${kind}/${id}`;
  const query = new URLSearchParams({ se: `${world.clock.now() + lifeMs}`, sp: right });
  query.set('sig', sign(world, `${path} ${query.get('se')} ${right}`));
  return `${world.baseUrl}${path}?${query}`;
}

/** The blob and right of a signed address; null when it was not signed here, was changed, or has expired. */
export function parseSignedAddress(world: World, url: URL): (BlobPlace & { readonly right: BlobRight }) | null {
  const [, kind, id] = /^\/_results\/(artifacts|caches)\/(\d+)$/.exec(url.pathname) ?? [];
  const [until, right] = [url.searchParams.get('se') ?? '', url.searchParams.get('sp') ?? ''];
  if ((kind !== 'artifacts' && kind !== 'caches') || (right !== 'r' && right !== 'cw')) return null;
  const signature = url.searchParams.get('sig') ?? '';
  if (!isSignedBy(world, `${url.pathname} ${until} ${right}`, signature)) return null;
  return Number(until) > world.clock.now() ? { kind, id: Number(id), right } : null;
}
