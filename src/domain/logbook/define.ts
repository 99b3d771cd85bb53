/** The form of a definition: one object says all that ferrybot knows about one type of event (decision 0108). */

import type * as z from 'zod';
import type { Actor } from '../actor.ts';
import type { EventOf, EventType, LogbookEvent } from './event.ts';
import { prose } from './plain-text.ts';
import type { Role } from './role.ts';
import type { RunState } from './run-state.ts';

type ReadonlyDeep<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> };

type Schemas = { readonly [type: string]: z.ZodType };

/** What each event of a family carries, by its schemas. */
export type DataOf<Family extends Schemas> = {
  readonly [Type in keyof Family]: ReadonlyDeep<z.infer<Family[Type]>>;
};

/** The four lines of an entry in the policy's logbook (HR-25); Markdown, escaped. */
export type Telling = {
  readonly status: string;
  readonly evidence: string;
  readonly decision: string;
  readonly next: string;
};

/** The logins that earlier entries gave for user ids. */
export type Logins = ReadonlyMap<number, string>;

export type EventDefinition<Type extends EventType> = {
  /** Title of its entry in `logbook.md`. */
  readonly title: string;
  /** One sentence for docs/logbook.md. */
  readonly means: string;
  /** The roles that may write it: the signature shows which one did. */
  readonly writers: readonly Role[];
  /** The event must name the person who acted. */
  readonly isByPerson: boolean;
  /** It may stand in the journal, which holds what belongs to no run. */
  readonly isInJournal?: true;
  /** A record without this event would allow what the event forbids, or the reverse: its append gets a mark at once. */
  readonly isDecisive?: true;
  /** The rule that the event breaks after this state, in words for a reader of `logbook verify`; null if none. */
  readonly rule: (state: RunState, event: EventOf<Type>) => string | null;
  /** The state after the event. */
  readonly apply: (state: RunState, event: EventOf<Type>) => RunState;
  readonly tell: (event: EventOf<Type>, logins: Logins) => Telling;
};

/** A definition with the schema of its data: strict about the fields that it names; a reader keeps others. */
export type DefinedEvent<Type extends EventType> = EventDefinition<Type> & { readonly data: z.ZodType };

/** Defines a family of events. The schemas come first, because the state that `apply` changes is made of their data. */
export function defineEvents<Family extends Schemas>(
  data: Family,
  definitions: { readonly [Type in keyof Family & EventType]: EventDefinition<Type> },
): { readonly [Type in keyof Family & EventType]: DefinedEvent<Type> } {
  const whole = Object.entries<object>(definitions).map(([type, one]) => [
    type,
    { ...one, data: data[type] },
  ]);
  // Each entry is the definition of its own type, with the schema of the same name.
  return Object.fromEntries(whole) as { readonly [Type in keyof Family & EventType]: DefinedEvent<Type> };
}

/** When and where an event was recorded. */
export function momentOf({ at, seq }: LogbookEvent): { readonly at: string; readonly seq: number } {
  return { at, seq };
}

/** The same with the person, for an event that must name one. */
export function said(event: LogbookEvent): ReturnType<typeof momentOf> & { readonly actor: Actor } {
  if (event.actor === undefined)
    throw new Error(`${event.type} without an actor passed the transition check`);
  return { ...momentOf(event), actor: event.actor };
}

/** `@alice (101)`, escaped. */
export function personOf(actor: Actor | undefined): string {
  return actor === undefined ? 'nobody' : `@${prose(actor.login)} (${actor.id})`;
}
