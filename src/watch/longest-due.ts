/** Which of the runs that are due a turn looks at: with a thousand of them at once, not all. */

import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';

/** A run, and since when it is due. */
export type Due = { readonly state: RunState; readonly at: number };

/** Those that have waited longest, and before them those that are to stop: they are due in every turn. */
export function longestDue(due: readonly Due[]): readonly RunState[] {
  const stopping = due.filter(({ state }) => state.stop !== null);
  const others = due.filter(({ state }) => state.stop === null).toSorted((a, b) => a.at - b.at);
  return [...stopping, ...others].slice(0, limits.looksPerTurnMax).map(({ state }) => state);
}
