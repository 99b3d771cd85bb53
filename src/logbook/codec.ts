/** Parses lines into events. */

import * as z from 'zod';
import { DEFINITIONS, EVENT_TYPES } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { actorSchema, ROLES } from '../domain/logbook/parts.ts';
import { fail, type Json, type JsonObject, ok, type Result } from '../domain/values.ts';
import { parseCanonical } from './chain.ts';

const name = z.string('not a name').min(1, 'not a name');
const hash = z.string('not a hash').regex(/^[0-9a-f]{64}$/, 'not a hash');
const isPerson = (value: unknown): boolean => actorSchema.safeParse(value).success;

/** Checks everything but the content of `data`. */
const frame = z.looseObject(
  {
    v: z.literal(1, 'not version 1'),
    run: name,
    seq: z.int('not a number from 0').min(0, 'not a number from 0'),
    at: z.iso
      .datetime({ precision: 3, error: 'not a moment in UTC' })
      .refine((at) => at >= '1970', 'not a moment since 1970'),
    type: z.enum(EVENT_TYPES, 'not a type of event'),
    role: z.enum(ROLES, 'not a role'),
    actor: z.custom(isPerson, 'not a person').exactOptional(),
    data: z.looseObject({}, 'not an object'),
    prev: hash,
    keyId: name,
    hash,
    // 64 bytes in base64; unused bits must be zero, so that each signature has one text.
    sig: z.string('not a signature').regex(/^[A-Za-z0-9+/]{85}[AQgw]==$/, 'not a signature'),
  },
  'not an object',
);

const frameOfAnyType = frame.extend({ type: name });

/**
 * The first missing or invalid field (docs/logbook.md, the fields of an event), or null. `data` only has to be an object; further fields
 * are allowed.
 */
export function frameFlaw(value: Json): string | null {
  const [issue] = frame.safeParse(value).error?.issues ?? [];
  if (issue === undefined) return null;
  const [field] = issue.path;
  if (field === undefined) return issue.message;
  const isMissing = !Object.hasOwn(value as JsonObject, field);
  return `${String(field)}: ${isMissing ? 'missing' : issue.message}`;
}

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
  if (json?.ok !== true || !frameOfAnyType.safeParse(json.value).success) return null;
  const event = json.value as unknown as UnknownEvent;
  return Object.hasOwn(DEFINITIONS, event.type) ? null : event;
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
