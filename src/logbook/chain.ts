/** The hash chain: what is hashed and signed (docs/logbook.md). */

import type { Json } from '../domain/json.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { canonicalize } from './canonical.ts';

/** `prev` of the first event. */
export const GENESIS = '0'.repeat(64);

/** Prevents a logbook signature from being valid for anything else. */
const SIGNATURE_CONTEXT = 'ferrybot.logbook.v1:';

export type UnsealedEvent = Omit<LogbookEvent, 'hash' | 'sig'>;

/** The canonical JSON without `hash` and `sig`. */
export function hashedText(event: UnsealedEvent): string {
  return canonicalize(jsonOf(event));
}

/** Context, colon and the 64 hex digits of `hash`; 84 ASCII bytes. */
export function signedText(hash: string): string {
  return `${SIGNATURE_CONTEXT}${hash}`;
}

/**
 * `hashedText` of a verified canonical line: cuts both members, each with its comma (`keyId` and `type` always follow). Quotes inside
 * strings are escaped, and a nested copy of the member would have to contain its own hash.
 */
export function hashedTextOfLine(line: string, event: Pick<LogbookEvent, 'hash' | 'sig'>): string {
  return without(without(line, `"sig":"${event.sig}",`), `"hash":"${event.hash}",`);
}

/** Searches from the end, because the long `data` comes first. */
function without(line: string, member: string): string {
  const start = line.lastIndexOf(member);
  return start < 0 ? line : line.slice(0, start) + line.slice(start + member.length);
}

/** Without the newline. */
export function lineOf(event: LogbookEvent): string {
  return canonicalize(jsonOf(event));
}

/** Events consist of JSON (domain/logbook/event.ts), which branded strings hide from the compiler. */
function jsonOf(event: UnsealedEvent): Json {
  return event as unknown as Json;
}
