/** All definitions of events, and what follows from them for every type. */

import type { DefinedEvent } from './define.ts';
import type { EventOf, EventType, LogbookEvent } from './event.ts';
import { careEvents } from './events/care-events.ts';
import { checkpointEvents } from './events/checkpoint-events.ts';
import { noticeEvents } from './events/notice-events.ts';
import { rentalEvents } from './events/rental-events.ts';
import { watchEvents } from './events/watch-events.ts';
import type { Role } from './role.ts';

/** Every defined type, by family. */
export const DEFINITIONS = {
  ...careEvents,
  ...checkpointEvents,
  ...noticeEvents,
  ...watchEvents,
  ...rentalEvents,
};
type DefinedType = keyof typeof DEFINITIONS;
/** The types that are still described in a table or a switch for each purpose. */
export type OtherType = Exclude<EventType, DefinedType>;

const OTHER_WRITERS = {
  proposed: ['control'],
  gated: ['control'],
  shown: ['control'],
  approved: ['control'],
  'approval-dropped': ['control'],
  ordered: ['control'],
  dispatched: ['control'],
  claimed: ['runner'],
  submitted: ['runner'],
  observed: ['watch'],
  'stop-requested': ['control'],
  ended: ['watch'],
  sealed: ['control'],
  closed: ['control'],
  incident: ['control', 'runner', 'watch'],
  held: ['control'],
  released: ['control'],
  'command-seen': ['control'],
  'command-answered': ['control'],
  contracted: ['control'],
} as const satisfies { readonly [Type in OtherType]: readonly Role[] };

/** The roles that may write each type: the chain shows that nothing changed, the signature shows who wrote it. */
export const WRITERS: { readonly [Type in EventType]: readonly Role[] } = {
  ...OTHER_WRITERS,
  ...(Object.fromEntries(Object.entries(DEFINITIONS).map(([type, { writers }]) => [type, writers])) as {
    readonly [Type in DefinedType]: readonly Role[];
  }),
};
export const EVENT_TYPES = Object.keys(WRITERS) as readonly EventType[];

/** Whether the event has a definition; `definitionOf` gives it. */
export function isDefined(event: LogbookEvent): event is EventOf<DefinedType> {
  return Object.hasOwn(DEFINITIONS, event.type);
}

/** The definition of an event, as one that takes this very event. */
export function definitionOf(event: EventOf<DefinedType>): DefinedEvent<EventType> {
  return DEFINITIONS[event.type] as unknown as DefinedEvent<EventType>;
}
