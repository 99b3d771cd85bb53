/** The queue's turnstile: its changes are made one after another. */

import type { Engine } from './engine.ts';

/** Does one thing after another; a thing that fails fails for its caller alone. */
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
