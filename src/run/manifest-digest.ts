/** The digest that a person approves: SHA-256 of the manifest's canonical JSON, UTF-8, without a newline (architecture, D4). */

import type { Digest, DigestOf } from '../domain/ids.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { Order } from '../domain/launch/order.ts';
import { canonicalize } from '../logbook/canonical.ts';

/** The canonical text of a manifest (RFC 8785). */
export function manifestText(manifest: Manifest): string {
  return canonicalize(manifest);
}

/** `sha256:` and 64 hex digits over the canonical text. */
export function manifestDigest(manifest: Manifest, digestOf: DigestOf): Digest {
  return digestOf(manifestText(manifest));
}

/** Orders are named the same way: the runner takes an order by this digest. */
export function orderDigest(order: Order, digestOf: DigestOf): Digest {
  return digestOf(canonicalize(order));
}
