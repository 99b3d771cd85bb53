/** Values in memory, at most so many. */

export type Kept<Value> = {
  /** What is held for the key, or else what `make` gives. */
  readonly get: (key: string, make: () => Value) => Value;
  readonly delete: (key: string) => void;
};

/** Beyond `max`, the value that was asked for least lately gives way (`letGo`). */
export function createKept<Value>(max: number, letGo: (value: Value) => void = () => undefined): Kept<Value> {
  const all = new Map<string, Value>();
  return {
    get: (key, make) => {
      const held = all.get(key);
      const value = held === undefined ? make() : held;
      all.delete(key);
      all.set(key, value);
      for (const [oldest, old] of all) {
        if (all.size <= max) break;
        letGo(old);
        all.delete(oldest);
      }
      return value;
    },
    delete: (key) => {
      all.delete(key);
    },
  };
}
