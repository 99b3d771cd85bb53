/** Digests that people approve: SHA-256 of canonical JSON (RFC 8785), UTF-8, without a newline (architecture, D4). */

import type { Digest, DigestOf } from '../domain/ids.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { Order } from '../domain/launch/order.ts';
import { canonicalize } from '../logbook/canonical.ts';

/** The manifest's canonical JSON. */
export function manifestText(manifest: Manifest): string {
  return canonicalize(manifest);
}

/** The digest that an approval names. */
export function manifestDigest(manifest: Manifest, digestOf: DigestOf): Digest {
  return digestOf(manifestText(manifest));
}

/** The runner identifies an order by this digest. */
export function orderDigest(order: Order, digestOf: DigestOf): Digest {
  return digestOf(canonicalize(order));
}
