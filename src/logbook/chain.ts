/** The chain: what of an event is hashed, what is signed, and what the first event stands on (docs/logbook.md). */

import type { Json } from '../domain/json.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { canonicalize } from './canonical.ts';

/** `prev` of the first event of a file: there is nothing before it. */
export const GENESIS = '0'.repeat(64);

/** Keeps a signature of the logbook from ever being one of anything else that the same key may sign. */
const SIGNATURE_CONTEXT = 'ferrybot.logbook.v1:';

/** An event before it is hashed and signed. */
export type UnsealedEvent = Omit<LogbookEvent, 'hash' | 'sig'>;

/** The text whose SHA-256 is `hash`: the canonical JSON of the event without `hash` and `sig`. */
export function hashedText(event: UnsealedEvent): string {
  return canonicalize(jsonOf(event));
}

/** The text that is signed: the context, a colon, and the 64 hex digits of `hash`; 84 ASCII bytes. */
export function signedText(hash: string): string {
  return `${SIGNATURE_CONTEXT}${hash}`;
}

/**
 * `hashedText` of a line that is known to be canonical and to hold an event: the line with both members cut out,
 * each with the comma behind it (`keyId` and `type` always follow). Inside a string the quotes would be escaped.
 * The same member deeper in the event would hold a hash of itself, which nobody can make.
 */
export function hashedTextOfLine(line: string, event: Pick<LogbookEvent, 'hash' | 'sig'>): string {
  return without(without(line, `"sig":"${event.sig}",`), `"hash":"${event.hash}",`);
}

/** From the end, where both stand: `data`, the longest part, comes before them. */
function without(line: string, member: string): string {
  const start = line.lastIndexOf(member);
  return start < 0 ? line : line.slice(0, start) + line.slice(start + member.length);
}

/** The line of a sealed event, without the newline that ends it. */
export function lineOf(event: LogbookEvent): string {
  return canonicalize(jsonOf(event));
}

/** Events are made of JSON alone (domain/logbook/event.ts); the compiler cannot see that through branded strings. */
function jsonOf(event: UnsealedEvent): Json {
  return event as unknown as Json;
}
