/** Serializes changes of the queue. */

import type { Engine } from './engine.ts';

/** Runs tasks one after another. A failed task rejects only for its own caller. */
export function createSerialQueue(): { readonly serially: Engine['serially']; readonly busy: () => boolean } {
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    busy: () => waiting > 0,
    serially: async (work) => {
      waiting += 1;
      const mine = tail.then(work);
      tail = Promise.allSettled([mine]);
      try {
        return await mine;
      } finally {
        waiting -= 1;
      }
    },
  };
}
