/** Answers that are made ready beside the API, at an address that nobody can guess, as logs are. */

import { randomUUID } from 'node:crypto';

export type ResultStore = ReturnType<typeof createResults>;

/** `polls`: so many reads find nothing yet. */
export function createResults(polls: number) {
  const results = new Map<string, { left: number; readonly content: () => Promise<Buffer> }>();
  return {
    add: (content: () => Promise<Buffer>): string => {
      const key = randomUUID();
      results.set(key, { left: polls, content });
      return key;
    },
    /** null: not yet, or nothing of that name. */
    read: async (key: string): Promise<Buffer | null> => {
      const found = results.get(key);
      if (found === undefined) return null;
      found.left -= 1;
      if (found.left >= 0) return null;
      return found.content();
    },
  };
}
