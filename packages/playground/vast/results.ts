/** Results that are prepared outside the API at an unguessable address, such as logs. */

import { randomUUID } from 'node:crypto';

export type ResultStore = ReturnType<typeof createResults>;

/** `polls`: how many reads find no result yet. */
export function createResults(polls: number) {
  const results = new Map<string, { left: number; readonly content: () => Promise<Buffer> }>();
  return {
    add: (content: () => Promise<Buffer>): string => {
      const key = randomUUID();
      results.set(key, { left: polls, content });
      return key;
    },
    /** Null: not ready, or unknown. */
    read: async (key: string): Promise<Buffer | null> => {
      const found = results.get(key);
      if (found === undefined) return null;
      found.left -= 1;
      if (found.left >= 0) return null;
      return found.content();
    },
  };
}
