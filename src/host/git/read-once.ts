/** Remembers answers about commits. */

/** Answers that are kept: one look asks for the same history several times. */
const ANSWERS_KEPT = 100;

/** Asks git once for what commits never change. */
export function readOnce<Asked, Found>(
  read: (asked: Asked) => Promise<Found>,
): (asked: Asked) => Promise<Found> {
  const kept = new Map<string, Promise<Found>>();
  return async (asked) => {
    const key = JSON.stringify(asked);
    const answer = kept.get(key) ?? read(asked);
    kept.delete(key);
    kept.set(key, answer);
    const [oldest] = kept.keys();
    if (kept.size > ANSWERS_KEPT && oldest !== undefined) kept.delete(oldest);
    try {
      return await answer;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  };
}
