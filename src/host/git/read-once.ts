/** Remembers answers about commits. */

import { createKept } from '../kept.ts';

/** Answers that are kept: one look asks for the same history several times. */
const ANSWERS_KEPT = 100;

/** Asks git once for what commits never change. */
export function readOnce<Asked, Found>(
  read: (asked: Asked) => Promise<Found>,
): (asked: Asked) => Promise<Found> {
  const kept = createKept<Promise<Found>>(ANSWERS_KEPT);
  return async (asked) => {
    const key = JSON.stringify(asked);
    try {
      return await kept.get(key, () => read(asked));
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  };
}
