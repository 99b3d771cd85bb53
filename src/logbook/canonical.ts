/** Canonical JSON (RFC 8785) restricted to integers, so that a hash identifies a value. */

import writeJson from 'canonicalize';
import type { Digest, DigestOf } from '../domain/ids.ts';
import type { Json } from '../domain/json.ts';
import { fail, ok, type Result } from '../domain/result.ts';

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
