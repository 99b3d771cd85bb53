/** Canonical JSON (RFC 8785), narrowed to integers: one value has exactly one text, so that a hash means the value. */

import writeJson from 'canonicalize';
import type { Json, JsonObject } from '../domain/json.ts';
import { fail, ok, type Result } from '../domain/result.ts';

/** Events nest about five deep; a hostile line must not overflow the stack. */
const LOGBOOK_JSON_DEPTH_MAX = 64;

/**
 * The canonical text of a value: keys in order of UTF-16 code units, no white space, strings as RFC 8785
 * section 3.2.2.2 has them. Throws for what has no such text here (a float, an unsafe integer, a lone
 * surrogate, too deep a nesting): whoever builds a value to be recorded keeps decimals as strings.
 */
export function canonicalize(value: Json): string {
  const flaw = flawOf(value, 0, { isSorted: true });
  if (flaw !== null) throw new Error(`no canonical JSON: ${flaw}`);
  return write(value);
}

/** The value that a canonical text means, or why the text is not canonical. Duplicate keys never are. */
export function parseCanonical(text: string): Result<Json, string> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const order = { isSorted: true };
  const flaw = flawOf(parsed.value, 0, order);
  if (flaw !== null) return fail(flaw);
  // JSON.stringify writes strings and integers as RFC 8785 does, so where the keys are in order already it is
  // asked: a third of the time on 2,880 events. Keys that look like array indices come first in JavaScript
  // whatever the text says: those are sorted.
  if (order.isSorted && JSON.stringify(parsed.value) === text) return parsed;
  return write(parsed.value) === text ? parsed : fail('not in canonical form (RFC 8785)');
}

function parseJson(text: string): Result<Json, string> {
  try {
    // JSON.parse returns nothing but JSON; its type says `any`.
    return ok(JSON.parse(text) as Json);
  } catch (error) {
    return fail(`not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether every object that was walked had its keys in order. */
type KeyOrder = { isSorted: boolean };

/** Why a parsed value may not stand in the logbook at all, or null; notes in `order` whether its keys are sorted. */
function flawOf(value: Json, depth: number, order: KeyOrder): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'a lone surrogate in a string';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? null : `not a safe integer: ${value}`;
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value !== 'object') return typeof value;
  if (depth >= LOGBOOK_JSON_DEPTH_MAX) return 'nested too deeply';
  if (isList(value)) return firstFlaw(value, depth, order);
  let before: string | null = null;
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return 'a lone surrogate in a key';
    if (before !== null && !(before < key)) order.isSorted = false;
    before = key;
    const flaw = flawOf(member(value, key), depth + 1, order);
    if (flaw !== null) return flaw;
  }
  return null;
}

function firstFlaw(items: readonly Json[], depth: number, order: KeyOrder): string | null {
  for (const item of items) {
    const flaw = flawOf(item, depth + 1, order);
    if (flaw !== null) return flaw;
  }
  return null;
}

/** Only for values without a flaw: the library leaves out what is undefined, and writes any number. */
function write(value: Json): string {
  const text = writeJson(value);
  if (text === undefined) throw new Error('no canonical JSON: undefined');
  return text;
}

const isList = (value: readonly Json[] | JsonObject): value is readonly Json[] => Array.isArray(value);

function member(value: JsonObject, key: string): Json {
  const found = value[key];
  if (found === undefined) throw new Error(`no canonical JSON: ${key} is undefined`);
  return found;
}
