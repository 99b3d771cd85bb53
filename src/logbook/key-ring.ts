/** Verifies signatures with the keys in force. */

import * as z from 'zod';
import { type PublicKey, publicKeySchema } from '../domain/logbook/parts.ts';
import { type FramedEvent, textToSign, type VerifySignature } from './chain.ts';

/** `role`: signed by a key of another role. */
export type KeyFault = { readonly reason: 'signature' | 'role'; readonly message: string };

/** The keys recorded in the first event, or null. */
export function readRecordedKeys(first: FramedEvent): readonly PublicKey[] | null {
  const recorded = z.looseObject({ keys: z.array(publicKeySchema) }).safeParse(first.data);
  return recorded.success ? recorded.data.keys : null;
}

/** Null if signed by a valid key of the entry's role. */
export function findKeyFault(
  event: Omit<FramedEvent, 'type'>,
  keys: readonly PublicKey[],
  verifySignature: VerifySignature,
): KeyFault | null {
  const key = keys.find((candidate) => candidate.id === event.keyId);
  if (key === undefined) return { reason: 'signature', message: `no key ${event.keyId} is known` };
  if (key.role !== event.role) {
    return { reason: 'role', message: `${event.keyId} is a ${key.role} key and signed as ${event.role}` };
  }
  if (!isKeyInForce(key, Date.parse(event.at))) {
    return { reason: 'signature', message: `${event.keyId} was not in force at ${event.at}` };
  }
  return verifySignature(key.public, textToSign(event.hash), event.sig)
    ? null
    : { reason: 'signature', message: `the signature is not that of ${event.keyId}` };
}

/** From inclusive, until exclusive; an invalid date is never in force. */
export function isKeyInForce(key: PublicKey, atMs: number): boolean {
  const period = periods.get(key) ?? ([parseTime(key.from), parseTime(key.until)] as const);
  periods.set(key, period);
  return period[0] <= atMs && atMs < period[1];
}

/** Parsed once, because a process verifies thousands of entries with the same few keys. */
const periods = new WeakMap<PublicKey, readonly [fromMs: number, untilMs: number]>();

const RFC_3339 =
  /^((?!0000)\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Unix ms; NaN if invalid. Stricter than Date.parse, because all verifiers must agree. */
function parseTime(text: string): number {
  const day = RFC_3339.exec(text)?.[1];
  if (day === undefined) return Number.NaN;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const isRealDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return isRealDay ? Date.parse(text) : Number.NaN;
}
