/** Whose signature an entry carries: the public keys in force, from config or from the logbook itself. */

import * as z from 'zod';
import { publicKeySchema } from '../domain/logbook/parts.ts';
import type { PublicKey } from '../domain/logbook/role.ts';
import { signedText } from './chain.ts';
import type { FramedEvent } from './codec.ts';
import type { VerifySignature } from './ports.ts';

/** Why an entry's signature does not count; `role`: a key of another role. */
export type KeyFault = { readonly reason: 'signature' | 'role'; readonly message: string };

/** The keys that the first event of a file records, or null when it records none. */
export function recordedKeys(first: FramedEvent): readonly PublicKey[] | null {
  const recorded = z.looseObject({ keys: z.array(publicKeySchema) }).safeParse(first.data);
  return recorded.success ? recorded.data.keys : null;
}

/** Null when the entry was signed by a key of its role that was in force at its time. */
export function keyFault(
  event: Omit<FramedEvent, 'type'>,
  keys: readonly PublicKey[],
  verifySignature: VerifySignature,
): KeyFault | null {
  const key = keys.find((candidate) => candidate.id === event.keyId);
  if (key === undefined) return { reason: 'signature', message: `no key ${event.keyId} is known` };
  if (key.role !== event.role) {
    return { reason: 'role', message: `${event.keyId} is a ${key.role} key and signed as ${event.role}` };
  }
  if (!isInForce(key, Date.parse(event.at))) {
    return { reason: 'signature', message: `${event.keyId} was not in force at ${event.at}` };
  }
  return verifySignature(key.public, signedText(event.hash), event.sig)
    ? null
    : { reason: 'signature', message: `the signature is not that of ${event.keyId}` };
}

/** From its first moment on, and before its last; a date that is no RFC 3339 is never in force. */
export function isInForce(key: PublicKey, atMs: number): boolean {
  return momentOf(key.from) <= atMs && atMs < momentOf(key.until);
}

const RFC_3339 =
  /^((?!0000)\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Milliseconds since 1970, or NaN, which is in force never. Engines read far more as a date than RFC 3339 knows, each in
 * its own way, and JavaScript reads February 30 as March 2: two verifiers have to come to the same answer.
 */
function momentOf(text: string): number {
  const day = RFC_3339.exec(text)?.[1];
  if (day === undefined) return Number.NaN;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const isRealDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return isRealDay ? Date.parse(text) : Number.NaN;
}
