/** What is read once in a trigger. */

export type Once = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;

/** Reads each key once: within a trigger the world is taken to stand still, apart from what we do to it ourselves. */
export function memoized(): Once {
  const values = new Map<string, unknown>();
  return async <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    if (!values.has(key)) values.set(key, await read());
    // Each key is used with one type only: each is made in one place.
    return values.get(key) as Value;
  };
}
