/** Checks an event's fixed fields by hand, which is faster than zod for thousands of lines. */

import type { Json, JsonObject } from '../domain/json.ts';
import { EVENT_TYPES } from '../domain/logbook/definitions.ts';
import { ROLES } from '../domain/logbook/role.ts';

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
