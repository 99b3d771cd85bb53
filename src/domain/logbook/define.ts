/** One object defines everything about one event type. */

import type * as z from 'zod';
import type { Actor } from '../actor.ts';
import type { CareEventData } from './events/care-events.ts';
import type { CheckpointEventData } from './events/checkpoint-events.ts';
import type { ClosureEventData } from './events/closure-events.ts';
import type { CommandEventData } from './events/command-events.ts';
import type { JobEventData } from './events/job-events.ts';
import type { LaunchEventData } from './events/launch-events.ts';
import type { NoticeEventData } from './events/notice-events.ts';
import type { ProposalEventData } from './events/proposal-events.ts';
import type { RecordEventData } from './events/record-events.ts';
import type { RentalEventData } from './events/rental-events.ts';
import type { WatchEventData } from './events/watch-events.ts';
import type { Parsed, Role } from './parts.ts';
import type { RunState } from './run-state.ts';

/** The data of each event type; each family of events has its own file. */
export type EventDataByType = ProposalEventData &
  LaunchEventData &
  JobEventData &
  ClosureEventData &
  CommandEventData &
  CareEventData &
  CheckpointEventData &
  NoticeEventData &
  RentalEventData &
  RecordEventData &
  WatchEventData;

export type EventType = keyof EventDataByType;

/** The writer's part of an event; appending adds sequence, time, chain and signature. */
export type EventDraft = {
  readonly [Type in EventType]: {
    readonly type: Type;
    readonly role: Role;
    readonly actor?: Actor;
    readonly data: EventDataByType[Type];
  };
}[EventType];

/** One line of `events.jsonl`. `prev` and `hash`: 64 hex digits; `sig`: base64; `at`: RFC 3339 UTC. */
export type LogbookEvent = {
  readonly [Type in EventType]: {
    readonly v: 1;
    readonly run: string;
    readonly seq: number;
    readonly at: string;
    readonly type: Type;
    readonly role: Role;
    readonly actor?: Actor;
    readonly data: EventDataByType[Type];
    readonly prev: string;
    readonly keyId: string;
    readonly hash: string;
    readonly sig: string;
  };
}[EventType];

export type EventOf<Type extends EventType> = Extract<LogbookEvent, { readonly type: Type }>;

/** One line with all Markdown and HTML characters escaped, so that text in a command cannot imitate an entry. */
export function prose(text: string): string {
  return toOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_[\]~|#]/g, '\\$&');
}

/** A code span, fenced by more backticks than the text has in a row (CommonMark 6.1); empty text becomes `(none)`. */
export function code(text: string): string {
  const line = toOneLine(text);
  if (line === '') return '(none)';
  let fence = '`';
  while (line.includes(fence)) fence += '`';
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  // HTML comment delimiters take effect even inside code spans, and comments delimit our blocks.
  return `${fence}${pad}${line.replaceAll('<!--', '<! --').replaceAll('-->', '-- >')}${pad}${fence}`;
}

/** `name value, name value`. */
export function scalarsText(values: { readonly [name: string]: string | number }): string {
  const named: string[] = [];
  for (const [name, value] of Object.entries(values)) named.push(`${prose(name)} ${code(String(value))}`);
  return named.join(', ');
}

/** `2026-11-21 09:05 UTC`, the policy's date format for entries. */
export function formatMinute(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

// Line ends, control characters and bidirectional marks.
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

function toOneLine(text: string): string {
  return text.replaceAll(BREAKS, ' ').trim();
}

type Schemas = { readonly [type: string]: z.ZodType };

export type DataOf<Family extends Schemas> = {
  readonly [Type in keyof Family]: Parsed<Family[Type]>;
};

/** The four lines of a policy logbook entry (HR-25): escaped Markdown. A line without text may be missing. */
export type EventText = {
  readonly status: string;
  readonly evidence?: string;
  readonly decision?: string;
  readonly next?: string;
};

/** User id → login, from earlier entries. */
export type Logins = ReadonlyMap<number, string>;

export type EventDefinition<Type extends EventType> = {
  /** Title of its entry in `logbook.md`. */
  readonly title: string;
  /** One sentence for docs/logbook.md. */
  readonly meaning: string;
  /** Roles that may write it; the signature proves the role. */
  readonly writers: readonly Role[];
  /** Whether the event must name the person who acted. */
  readonly isByPerson?: boolean;
  /** Whether the journal, which has the events outside runs, may contain it. */
  readonly isInJournal?: true;
  /** Whether removing the event from the record would change what is allowed. Every append of such an event gets a mark. */
  readonly isDecisive?: true;
  /** Returns the rule that the event breaks after this state, as text for `logbook verify`, or null. Missing: no rule. */
  readonly rule?: (state: RunState, event: EventOf<Type>) => string | null;
  /** Missing if the event is legal only in the journal. */
  readonly apply?: (state: RunState, event: EventOf<Type>) => RunState;
  readonly describe: (event: EventOf<Type>, logins: Logins) => EventText;
};

/** The schema is strict about known fields; readers keep unknown ones. */
export type DefinedEvent<Type extends EventType> = EventDefinition<Type> & { readonly data: z.ZodType };

/** Schemas are separate because the state type in `apply` is derived from them. */
export function defineEvents<Family extends Schemas>(
  data: Family,
  definitions: { readonly [Type in keyof Family & EventType]: EventDefinition<Type> },
): { readonly [Type in keyof Family & EventType]: DefinedEvent<Type> } {
  const whole = Object.entries<object>(definitions).map(([type, one]) => [type, { ...one, data: data[type] }]);
  // Each key's definition is combined with the schema of the same key.
  return Object.fromEntries(whole) as { readonly [Type in keyof Family & EventType]: DefinedEvent<Type> };
}

/** Time and number of the entry. */
export function moment({ at, seq }: LogbookEvent): { readonly at: string; readonly seq: number } {
  return { at, seq };
}

/** `momentOf` plus the actor, for events that must name one. */
export function byPerson(event: LogbookEvent): ReturnType<typeof moment> & { readonly actor: Actor } {
  if (event.actor === undefined) throw new Error(`${event.type} without an actor passed the transition check`);
  return { ...moment(event), actor: event.actor };
}

/** `@alice (101)`, escaped. */
export function actorText(actor: Actor | undefined): string {
  return actor === undefined ? 'nobody' : `@${prose(actor.login)} (${actor.id})`;
}
