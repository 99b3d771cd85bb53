/** Caches what this process did for each run between triggers. Failed effects are retried at the next trigger. */

import { limits } from '../../domain/limits.ts';
import type { Role } from '../../domain/logbook/role.ts';
import { type AttemptCache, NO_ATTEMPTS } from '../../run/step.ts';
import type { EventStore } from '../record.ts';

export type Memories = {
  readonly of: (run: string) => AttemptCache;
  readonly keep: (run: string, memory: AttemptCache) => void;
  /** Starts a batch of triggers: what failed may be tried again. */
  readonly begin: (store: Pick<EventStore, 'appended'>) => void;
};

/** One attempt cache for each run. */
export function createMemories(speaksFor: readonly Role[]): Memories {
  const memories = new Map<string, AttemptCache>();
  let appendedTo: EventStore['appended'] = () => NO_ATTEMPTS.appended;
  return {
    of: (run) => ({ ...(memories.get(run) ?? NO_ATTEMPTS), speaksFor, appended: appendedTo(run) }),
    keep: (run, memory) => {
      memories.delete(run);
      memories.set(run, memory);
      const oldest = memories.keys().next();
      if (memories.size > limits.runsReadMax && oldest.done !== true) memories.delete(oldest.value);
    },
    begin: (store) => {
      appendedTo = store.appended;
      for (const [run, memory] of memories) {
        const outcomes = new Map([...memory.outcomes].filter(([, outcome]) => outcome.kind === 'done'));
        memories.set(run, { ...memory, outcomes, tries: new Map() });
      }
    },
  };
}
