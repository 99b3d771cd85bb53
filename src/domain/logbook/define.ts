/** One object defines everything about one event type (decision 0108). */

import type * as z from 'zod';
import type { Actor } from '../actor.ts';
import type { EventOf, EventType, LogbookEvent } from './event.ts';
import type { Parsed, Role } from './parts.ts';
import { prose } from './plain-text.ts';
import type { RunState } from './run-state.ts';

type Schemas = { readonly [type: string]: z.ZodType };

/** The data types of a family, from its schemas. */
export type DataOf<Family extends Schemas> = {
  readonly [Type in keyof Family]: Parsed<Family[Type]>;
};

/** The four lines of a policy logbook entry (HR-25): escaped Markdown. A line without text may be missing. */
export type Telling = {
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
  readonly means: string;
  /** Roles that may write it; the signature proves the role. */
  readonly writers: readonly Role[];
  /** Whether the event must name the person who acted. */
  readonly isByPerson?: boolean;
  /** It may stand in the journal, which holds what belongs to no run. */
  readonly isInJournal?: true;
  /** A record without this event would allow what the event forbids, or the reverse: its append gets a mark at once. */
  readonly isDecisive?: true;
  /** The rule that the event breaks after this state, in words for a reader of `logbook verify`; null, and without a function, if none. */
  readonly rule?: (state: RunState, event: EventOf<Type>) => string | null;
  /** Missing if the event belongs to no run: it is only legal in the journal. */
  readonly apply?: (state: RunState, event: EventOf<Type>) => RunState;
  readonly tell: (event: EventOf<Type>, logins: Logins) => Telling;
};

/** The schema is strict about known fields; readers keep unknown ones. */
export type DefinedEvent<Type extends EventType> = EventDefinition<Type> & { readonly data: z.ZodType };

/** Schemas are separate because the state type in `apply` is derived from them. */
export function defineEvents<Family extends Schemas>(
  data: Family,
  definitions: { readonly [Type in keyof Family & EventType]: EventDefinition<Type> },
): { readonly [Type in keyof Family & EventType]: DefinedEvent<Type> } {
  const whole = Object.entries<object>(definitions).map(([type, one]) => [
    type,
    { ...one, data: data[type] },
  ]);
  // Each key's definition is combined with the schema of the same key.
  return Object.fromEntries(whole) as { readonly [Type in keyof Family & EventType]: DefinedEvent<Type> };
}

/** Time and number of the entry. */
export function momentOf({ at, seq }: LogbookEvent): { readonly at: string; readonly seq: number } {
  return { at, seq };
}

/** `momentOf` plus the actor, for events that must name one. */
export function said(event: LogbookEvent): ReturnType<typeof momentOf> & { readonly actor: Actor } {
  if (event.actor === undefined)
    throw new Error(`${event.type} without an actor passed the transition check`);
  return { ...momentOf(event), actor: event.actor };
}

/** `@alice (101)`, escaped. */
export function personOf(actor: Actor | undefined): string {
  return actor === undefined ? 'nobody' : `@${prose(actor.login)} (${actor.id})`;
}
