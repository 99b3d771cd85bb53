/** Parses lines into events. */

import type * as z from 'zod';
import type { Json, JsonObject } from '../domain/json.ts';
import { DEFINITIONS, EVENT_TYPES } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { ROLES } from '../domain/logbook/role.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { parseCanonical } from './canonical.ts';

/**
 * The first missing or invalid field (docs/logbook.md, the fields of an event), or null. `data` only has to be an object; further fields
 * are allowed.
 */
export function frameFlaw(value: Json): string | null {
  if (!isObject(value)) return 'not an object';
  for (const [name, [isGood, expected]] of FIELDS) {
    // Any key may be missing.
    const field: Json | undefined = value[name];
    if (!isGood(field)) return `${name}: ${field === undefined ? 'missing' : expected}`;
  }
  return null;
}

type Check = readonly [isGood: (field: Json | undefined) => boolean, expected: string];

const HASH = /^[0-9a-f]{64}$/;
/** 64 bytes in base64; unused bits must be zero, so that each signature has one text. */
const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;
const MOMENT =
  /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
const ROLE_NAMES: ReadonlySet<string> = new Set(ROLES);

const isText = (field: Json | undefined): field is string => typeof field === 'string';
const isObject = (field: Json | undefined): field is JsonObject =>
  typeof field === 'object' && field !== null && !Array.isArray(field);
const isInteger = (field: Json | undefined): boolean => Number.isSafeInteger(field);
const isName = (field: Json | undefined): boolean => isText(field) && field !== '';
const isHash = (field: Json | undefined): boolean => isText(field) && HASH.test(field);

/** JavaScript parses February 30 as March 2, so late days must round-trip. */
function isMoment(field: Json | undefined): boolean {
  if (!isText(field) || !MOMENT.test(field)) return false;
  return field.slice(8, 10) <= '28' || new Date(Date.parse(field)).toISOString() === field;
}

function isActor(field: Json | undefined): boolean {
  return field === undefined || (isObject(field) && isInteger(field['id']) && isText(field['login']));
}

const FIELDS: readonly (readonly [string, Check])[] = [
  ['v', [(field) => field === 1, 'not version 1']],
  ['run', [isName, 'not a name']],
  ['seq', [(field) => isInteger(field) && Number(field) >= 0, 'not a number from 0']],
  ['at', [isMoment, 'not a moment in UTC']],
  ['type', [(field) => isText(field) && TYPES.has(field), 'not a type of event']],
  ['role', [(field) => isText(field) && ROLE_NAMES.has(field), 'not a role']],
  ['actor', [isActor, 'not a person']],
  ['data', [isObject, 'not an object']],
  ['prev', [isHash, 'not a hash']],
  ['keyId', [isName, 'not a name']],
  ['hash', [isHash, 'not a hash']],
  ['sig', [(field) => isText(field) && SIGNATURE.test(field), 'not a signature']],
];

/** Far above the largest event, a manifest with hundreds of preconditions and trees. */
export const LOGBOOK_LINE_CHARS_MAX = 1_000_000;

/** `torn`: text after the last newline, or null. */
export type Lines = { readonly whole: readonly string[]; readonly torn: string | null };

/** Each line ends with `\n`; a last line without it was only partly written. */
export function splitLines(text: string): Lines {
  const parts = text.split('\n');
  const last = parts.pop();
  return { whole: parts, torn: last === undefined || last === '' ? null : last };
}

/** An event whose `data` was not parsed yet: enough to check place, chain and signature. */
export type FramedEvent = Pick<
  LogbookEvent,
  'run' | 'seq' | 'at' | 'type' | 'role' | 'prev' | 'keyId' | 'hash' | 'sig'
> & { readonly data: unknown };

/** Rejects lines that are not canonical, too long, lack a valid field, or have an unknown type or version. Keeps unknown fields. */
export function decodeLine(line: string): Result<FramedEvent, string> {
  if (line === '') return fail('an empty line');
  if (line.length > LOGBOOK_LINE_CHARS_MAX) return fail('the line is longer than an event may be');
  const json = parseCanonical(line);
  if (!json.ok) return json;
  const flaw = frameFlaw(json.value);
  if (flaw !== null) return fail(flaw);
  // Checked above.
  return ok(json.value as unknown as FramedEvent);
}

export type UnknownEvent = Omit<FramedEvent, 'type'> & { readonly type: string };

/** Decodes a line that is valid except for its unknown type; null for any other fault. */
export function decodeUnknownType(line: string): UnknownEvent | null {
  const json = line.length > LOGBOOK_LINE_CHARS_MAX ? null : parseCanonical(line);
  if (json === null || !json.ok || frameFlaw(json.value) === null) return null;
  // Checked with a known type.
  const unknown = json.value as unknown as UnknownEvent;
  const isName = typeof unknown?.type === 'string' && unknown.type !== '';
  return isName && frameFlaw({ ...(json.value as JsonObject), type: EVENT_TYPES[0] ?? '' }) === null
    ? unknown
    : null;
}

/** Validates `data` by its type; keeps unknown fields. */
export function completeEvent(framed: FramedEvent): Result<LogbookEvent, string> {
  const data = DEFINITIONS[framed.type].data.safeParse(framed.data);
  // LogbookEvent's types are inferred from these schemas.
  return data.success ? ok(framed as LogbookEvent) : fail(`data: ${firstIssue(data.error)}`);
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'not an event' : `${issue.path.map(String).join('.')}: ${issue.message}`;
}
