/** What it means for a run that somebody took what has gone wrong, or took note of an end. */

import type { Actor } from '../actor.ts';
import type { Taken } from './events/watch-events.ts';
import type { RunState } from './run-state.ts';

/** The answers by which it is taken in the run's own thread. */
const BY_ANSWER: ReadonlyMap<string, Taken> = new Map([
  ['incident-taken', 'incidents'],
  ['watch-end-taken', 'watch-end'],
  ['acknowledged', 'end'],
]);

type By = { readonly actor: Actor; readonly at: string; readonly seq: number };

/** The state after an answer of this code; the same where it takes nothing. */
export function takenByAnswer(state: RunState, code: string, by: By): RunState {
  const what = BY_ANSWER.get(code);
  return what === undefined ? state : takenAfter(state, what, by);
}

/** The state after somebody took it. */
export function takenAfter(state: RunState, what: Taken, by: By): RunState {
  const { actor, at } = by;
  return { ...state, taken: by, ...(what === 'end' ? { acknowledged: { actor, at } } : {}) };
}
