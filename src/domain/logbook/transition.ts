/** Which event may follow which state. */

import { definitionOf, WRITERS } from './definitions.ts';
import type { LogbookEvent } from './event.ts';
import { isOver, type RunState } from './run-state.ts';

/** The rule that the event breaks after this state, as text for `logbook verify`; null if it is legal. */
export function illegalAfter(state: RunState | null, event: LogbookEvent): string | null {
  if (!WRITERS[event.type].includes(event.role)) return `${event.role} may not write ${event.type}`;
  if (state === null)
    return event.type === 'proposed' ? null : `a run begins with proposed, not with ${event.type}`;
  if (isOver(state)) return `nothing follows ${state.seal === null ? 'closed' : 'sealed'}`;
  if (event.run !== state.run) return `an event of ${event.run} in the logbook of ${state.run}`;
  const { rule, isByPerson } = definitionOf(event);
  const isNameless = isByPerson && event.actor === undefined;
  return rule(state, event) ?? (isNameless ? `${event.type} names no person` : null);
}
