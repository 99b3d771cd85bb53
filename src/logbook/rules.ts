/** What may follow what: a run folds as its lifecycle says, the journal has only what belongs to no run. */

import {
  illegalMutation,
  isMutationEvent,
  MUTATION_EVENTS,
  type MutationRecord,
  mutationsAfter,
} from '../domain/care/mutation-state.ts';
import { isRunId } from '../domain/ids.ts';
import type { EventType, LogbookEvent } from '../domain/logbook/event.ts';
import { foldOne } from '../domain/logbook/fold.ts';
import { commandKey, type RunState } from '../domain/logbook/run-state.ts';

/** Name of the journal's events in their field `run`, and of its folder. */
export const JOURNAL = 'journal';

/** Takes a file's events in order; answers each with the rule that it breaks, or null. */
export type TransitionCheck = (event: LogbookEvent) => string | null;

/** A fresh check for the file of `run`. After the first broken rule its answers mean nothing. */
export function transitionCheck(run: string): TransitionCheck {
  return run === JOURNAL ? journalCheck() : runCheck();
}

function runCheck(): TransitionCheck {
  let state: RunState | null = null;
  return (event) => {
    // Signed or not, a name that no run can have is a broken rule, and not an exception of the fold.
    if (!isRunId(event.run)) return 'no run can have this name';
    const step = foldOne(state, event);
    if (!step.ok) return step.error.rule;
    state = step.value;
    return null;
  };
}

const JOURNAL_TYPES: ReadonlySet<EventType> = new Set([
  'incident',
  'held',
  'released',
  'command-seen',
  'command-answered',
  ...MUTATION_EVENTS,
  'disk-scanned',
] as const);

/** What no person says: what was found, and what ferrybot answers. */
const WITHOUT_PERSON: ReadonlySet<EventType> = new Set([
  'incident',
  'command-answered',
  'disk-scanned',
] as const);

function journalCheck(): TransitionCheck {
  const waiting = new Set<string>();
  const answered = new Set<string>();
  let mutations: readonly MutationRecord[] = [];
  return (event) => {
    if (!JOURNAL_TYPES.has(event.type)) return `${event.type} belongs to a run, not to the journal`;
    if (isMutationEvent(event)) {
      const rule = illegalMutation(mutations, JOURNAL, event);
      if (rule === null) mutations = mutationsAfter(mutations, event);
      return rule;
    }
    if (event.type === 'command-seen') {
      const key = commandKey(event.data);
      if (waiting.has(key) || answered.has(key)) return 'a command is seen once';
      waiting.add(key);
    }
    if (event.type === 'command-answered') {
      const key = commandKey(event.data);
      if (answered.has(key)) return 'a command is answered once';
      if (!waiting.delete(key)) return 'answered a command that was not seen';
      answered.add(key);
    }
    return !WITHOUT_PERSON.has(event.type) && event.actor === undefined
      ? `${event.type} names no person`
      : null;
  };
}
