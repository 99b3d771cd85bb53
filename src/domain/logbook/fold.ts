/** All event definitions, and the fold of events into a run's state; an illegal event stops the fold. */

import { brandAs, fail, isRunId, ok, type Result } from '../values.ts';
import type { DefinedEvent, EventOf, EventType, LogbookEvent } from './define.ts';
import { careEvents } from './events/care-events.ts';
import { checkpointEvents } from './events/checkpoint-events.ts';
import { closureEvents } from './events/closure-events.ts';
import { commandEvents } from './events/command-events.ts';
import { jobEvents } from './events/job-events.ts';
import { launchEvents } from './events/launch-events.ts';
import { noticeEvents } from './events/notice-events.ts';
import { proposalEvents } from './events/proposal-events.ts';
import { recordEvents } from './events/record-events.ts';
import { NO_RENTAL, rentalEvents } from './events/rental-events.ts';
import { NO_WATCH, watchEvents } from './events/watch-events.ts';
import type { Role } from './parts.ts';
import { isOver, type RunState } from './run-state.ts';

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

/** The first illegal event and the rule it breaks. */
export type IllegalEvent = { readonly seq: number; readonly rule: string };

/** An empty list gives null: the run is unknown here, which is not the same as new. */
export function foldEvents(events: readonly LogbookEvent[]): Result<RunState | null, IllegalEvent> {
  let state: RunState | null = null;
  for (const event of events) {
    const step = foldEvent(state, event);
    if (!step.ok) return step;
    state = step.value;
  }
  return ok(state);
}

/** Folds one event. */
export function foldEvent(state: RunState | null, event: LogbookEvent): Result<RunState, IllegalEvent> {
  const rule = findIllegalEvent(state, event);
  if (rule !== null) return fail({ seq: event.seq, rule });
  // `findIllegalEvent` rejects every other type of first event.
  if (state === null) return ok(initialState(event as EventOf<'proposed'>));
  return ok({
    ...state,
    ...findDefinition(event).apply?.(state, event),
    head: { seq: event.seq, hash: event.hash, at: event.at },
  });
}

function initialState(event: EventOf<'proposed'>): RunState {
  return {
    run: brandAs(event.run, isRunId),
    head: { seq: event.seq, hash: event.hash, at: event.at },
    proposal: event.data,
    proposedAt: event.at,
    contract: null,
    description: null,
    gate: null,
    shown: null,
    cardEdit: null,
    approvals: [],
    drops: [],
    order: null,
    dispatches: [],
    submission: null,
    observation: null,
    firstEval: null,
    firstTracker: null,
    trace: [],
    losses: [],
    paces: [],
    fence: 0,
    stop: null,
    end: null,
    attempts: [],
    relaunchRequest: null,
    rollback: null,
    acknowledged: null,
    seal: null,
    closed: null,
    incidents: [],
    holds: [],
    commands: new Map(),
    actions: [],
    rejections: [],
    milestones: [],
    notices: [],
    deliveries: [],
    taken: null,
    watch: NO_WATCH,
    rental: NO_RENTAL,
  };
}

/** The rule that the event breaks after this state, as text for `logbook verify`; null if it is legal. */
export function findIllegalEvent(state: RunState | null, event: LogbookEvent): string | null {
  if (!WRITERS[event.type].includes(event.role)) return `${event.role} may not write ${event.type}`;
  if (state === null) return event.type === 'proposed' ? null : `a run begins with proposed, not with ${event.type}`;
  if (isOver(state)) return `nothing follows ${state.seal === null ? 'closed' : 'sealed'}`;
  if (event.run !== state.run) return `an event of ${event.run} in the logbook of ${state.run}`;
  const { rule, isByPerson, apply } = findDefinition(event);
  if (apply === undefined) return `${event.type} belongs to no run`;
  const isNameless = isByPerson === true && event.actor === undefined;
  return rule?.(state, event) ?? (isNameless ? `${event.type} names no person` : null);
}
