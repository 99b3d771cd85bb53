/** The hash chain: what is hashed and signed (docs/logbook.md). */

import writeJson from 'canonicalize';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import type { Role } from '../domain/logbook/parts.ts';
import { type Digest, type DigestOf, fail, type Json, ok, type Result } from '../domain/values.ts';

/** Protects the stack from hostile lines; events nest about five levels. */
const LOGBOOK_JSON_DEPTH_MAX = 64;

/** Throws for values without a canonical text here: floats, unsafe integers, lone surrogates, deep nesting. Keep decimals as strings. */
export function canonicalize(value: Json): string {
  const flaw = flawOf(value, { isSorted: true });
  if (flaw !== null) throw new Error(`no canonical JSON: ${flaw}`);
  return write(value);
}

/** SHA-256 of the canonical JSON. It identifies manifests, orders, proposed actions and their evidence (architecture, D4). */
export function canonicalDigest(value: Json, digestOf: DigestOf): Digest {
  return digestOf(canonicalize(value));
}

/** Parses canonical text only; duplicate keys are never canonical. */
export function parseCanonical(text: string): Result<Json, string> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const order = { isSorted: true };
  const flaw = flawOf(parsed.value, order);
  if (flaw !== null) return fail(flaw);
  // With sorted keys, JSON.stringify produces RFC 8785 text in a third of the time. Keys that look like array indices are reordered by
  // JavaScript and take the slow path.
  if (order.isSorted && JSON.stringify(parsed.value) === text) return parsed;
  return write(parsed.value) === text ? parsed : fail('not in canonical form (RFC 8785)');
}

function parseJson(text: string): Result<Json, string> {
  try {
    // JSON.parse is typed as `any`.
    return ok(JSON.parse(text) as Json);
  } catch (error) {
    return fail(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether all visited objects had sorted keys. */
type KeyOrder = { isSorted: boolean };

/** Why a value is not allowed in the logbook, or null; updates `order`. */
function flawOf(root: Json, order: KeyOrder): string | null {
  const waiting: { readonly value: Json | undefined; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string') {
      if (!value.isWellFormed()) return 'a lone surrogate in a string';
    } else if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) return `not a safe integer: ${value}`;
    } else if (value !== null && typeof value === 'object') {
      if (depth >= LOGBOOK_JSON_DEPTH_MAX) return 'nested too deeply';
      const isSorted = !Array.isArray(value);
      let before: string | null = null;
      for (const [key, member] of Object.entries(value)) {
        if (!key.isWellFormed()) return 'a lone surrogate in a key';
        if (isSorted && before !== null && !(before < key)) order.isSorted = false;
        before = key;
        waiting.push({ value: member, depth: depth + 1 });
      }
    } else if (value !== null && typeof value !== 'boolean') return typeof value;
  }
  return null;
}

/** Only for checked values: the library drops undefined and accepts any number. */
function write(value: Json): string {
  const text = writeJson(value);
  if (text === undefined) throw new Error('no canonical JSON: undefined');
  return text;
}

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

/** SHA-256 of UTF-8 text as 64 lower-case hex digits. */
export type Hash = (utf8: string) => string;

/** Ed25519 signature (RFC 8032) of UTF-8 text, in base64. */
export type Sign = (utf8: string) => string;

/** Verifies a base64 signature with a raw base64 public key. */
export type VerifySignature = (publicKey: string, utf8: string, signature: string) => boolean;

/** A private key with its config id and role. */
export type Signer = { readonly keyId: string; readonly role: Role; readonly sign: Sign };

/** A known event; `hash` may be a prefix. */
export type Anchor = { readonly seq: number; readonly hash: string };

export type AppendResult =
  /** `seqs`: sequence numbers of the new events by file. */
  | { readonly kind: 'appended'; readonly seqs: ReadonlyMap<string, readonly number[]> }
  | { readonly kind: 'conflict' }
  /** Nothing was added; the existing record is valid, but the remote or the disk refused. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };
