/** All event definitions (decision 0108). */

import type { DefinedEvent, EventType, LogbookEvent } from './define.ts';
import { careEvents } from './events/care-events.ts';
import { checkpointEvents } from './events/checkpoint-events.ts';
import { closureEvents } from './events/closure-events.ts';
import { commandEvents } from './events/command-events.ts';
import { jobEvents } from './events/job-events.ts';
import { launchEvents } from './events/launch-events.ts';
import { noticeEvents } from './events/notice-events.ts';
import { proposalEvents } from './events/proposal-events.ts';
import { recordEvents } from './events/record-events.ts';
import { rentalEvents } from './events/rental-events.ts';
import { watchEvents } from './events/watch-events.ts';
import type { Role } from './parts.ts';

/** In the order of a run's life. */
export const DEFINITIONS: { readonly [Type in EventType]: DefinedEvent<Type> } = {
  ...proposalEvents,
  ...launchEvents,
  ...jobEvents,
  ...closureEvents,
  ...commandEvents,
  ...careEvents,
  ...checkpointEvents,
  ...noticeEvents,
  ...watchEvents,
  ...rentalEvents,
  ...recordEvents,
};

export const EVENT_TYPES = Object.keys(DEFINITIONS) as readonly EventType[];

/** The roles that may write each event type. Hashes prove that events are unchanged; signatures prove the writer's role. */
export const WRITERS = Object.fromEntries(EVENT_TYPES.map((type) => [type, DEFINITIONS[type].writers])) as {
  readonly [Type in EventType]: readonly Role[];
};

/** The cast is safe: the definition belongs to the event's own type. */
export function findDefinition(event: LogbookEvent): DefinedEvent<EventType> {
  return DEFINITIONS[event.type] as unknown as DefinedEvent<EventType>;
}
