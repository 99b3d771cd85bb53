/** What this process remembers of each run between wakes: what it did and appended; failed tries begin anew each wake. */

import { limits } from '../../domain/limits.ts';
import type { Role } from '../../domain/logbook/role.ts';
import { EMPTY_MEMORY, type Memory } from '../../run/step.ts';

export type Memories = {
  readonly of: (run: string) => Memory;
  readonly keep: (run: string, memory: Memory) => void;
  readonly begin: () => void;
};

/** An empty memory. `begin` is called at each wake. */
export function createMemories(speaksFor: readonly Role[]): Memories {
  const memories = new Map<string, Memory>();
  return {
    of: (run) => memories.get(run) ?? { ...EMPTY_MEMORY, speaksFor },
    keep: (run, memory) => {
      memories.delete(run);
      memories.set(run, memory);
      const oldest = memories.keys().next();
      if (memories.size > limits.runsReadMax && oldest.done !== true) memories.delete(oldest.value);
    },
    begin: () => {
      for (const [run, memory] of memories) {
        const outcomes = new Map([...memory.outcomes].filter(([, outcome]) => outcome.kind === 'done'));
        memories.set(run, { ...memory, outcomes, tries: new Map() });
      }
    },
  };
}
