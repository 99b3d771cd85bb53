/** One event a line: from the text of a file to lines, and from a line to an event or the reason why it is none. */

import type * as z from 'zod';
import type { JsonObject } from '../domain/json.ts';
import { DEFINITIONS, EVENT_TYPES } from '../domain/logbook/definitions.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { fail, ok, type Result } from '../domain/result.ts';
import { parseCanonical } from './canonical.ts';
import { frameFlaw } from './frame.ts';

/** One event: a manifest of a large lab with hundreds of preconditions and trees is far below a megabyte. */
export const LOGBOOK_LINE_CHARS_MAX = 1_000_000;

/** A file cut into its lines; `torn` is what stands after the last newline, null when nothing does. */
export type Lines = { readonly whole: readonly string[]; readonly torn: string | null };

/** Every line ends with one `\n`, the last one too: a last line without it was torn while it was written. */
export function splitLines(text: string): Lines {
  const parts = text.split('\n');
  const last = parts.pop();
  return { whole: parts, torn: last === undefined || last === '' ? null : last };
}

/** An event whose frame was read and whose `data` was not: enough for place, chain and signature. */
export type FramedEvent = Pick<
  LogbookEvent,
  'run' | 'seq' | 'at' | 'type' | 'role' | 'prev' | 'keyId' | 'hash' | 'sig'
> & { readonly data: unknown };

/**
 * Reads one line (without its newline). Refused: what is not canonical JSON, longer than the limit, lacks a
 * field of the frame, has one of the wrong type, or is of a type or version that is not known. Unknown fields
 * are kept.
 */
export function decodeLine(line: string): Result<FramedEvent, string> {
  if (line === '') return fail('an empty line');
  if (line.length > LOGBOOK_LINE_CHARS_MAX) return fail('the line is longer than an event may be');
  const json = parseCanonical(line);
  if (!json.ok) return json;
  const flaw = frameFlaw(json.value);
  if (flaw !== null) return fail(flaw);
  // Checked just above.
  return ok(json.value as unknown as FramedEvent);
}

/** An event of a type that is not known, with all else as a frame has it. */
export type UnknownEvent = Omit<FramedEvent, 'type'> & { readonly type: string };

/** What a line that is no event of ours would be to a release that knows its type; null where more than that is wrong with it. */
export function decodeUnknownType(line: string): UnknownEvent | null {
  const json = line.length > LOGBOOK_LINE_CHARS_MAX ? null : parseCanonical(line);
  if (json === null || !json.ok || frameFlaw(json.value) === null) return null;
  // Checked by the frame of any type that is known.
  const unknown = json.value as unknown as UnknownEvent;
  const isName = typeof unknown?.type === 'string' && unknown.type !== '';
  return isName && frameFlaw({ ...(json.value as JsonObject), type: EVENT_TYPES[0] ?? '' }) === null
    ? unknown
    : null;
}

/** The whole event, once its `data` is what its type demands; unknown fields are kept. */
export function completeEvent(framed: FramedEvent): Result<LogbookEvent, string> {
  const data = DEFINITIONS[framed.type].data.safeParse(framed.data);
  // The types of LogbookEvent are inferred from these schemas.
  return data.success ? ok(framed as LogbookEvent) : fail(`data: ${firstIssue(data.error)}`);
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'not an event' : `${issue.path.map(String).join('.')}: ${issue.message}`;
}
