/** A read that happens once within a trigger. */

export type Once = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;

/** Reads each key once: within a trigger the outside world counts as unchanged. */
export function memoized(): Once {
  const values = new Map<string, unknown>();
  return async <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    if (!values.has(key)) values.set(key, await read());
    // Each key is created in one place and has one type.
    return values.get(key) as Value;
  };
}
