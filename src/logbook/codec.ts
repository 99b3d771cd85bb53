/** Parses lines into events. */

import type * as z from 'zod';
import type { JsonObject } from '../domain/json.ts';
import { DEFINITIONS, EVENT_TYPES } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { parseCanonical } from './canonical.ts';
import { frameFlaw } from './frame.ts';

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
