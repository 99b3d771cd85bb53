/** Enough for the bodies of all live runs and the config, a few hundred kB. */
export const READINGS_REMEMBERED = 50;

/** An LRU cache around a pure function whose results nobody modifies. `keyOf` must cover everything that the result depends on. */
export function remembered<Asked, Reading>(
  read: (asked: Asked) => Reading,
  keyOf: (asked: Asked) => string,
): (asked: Asked) => Reading {
  const kept = new Map<string, { readonly reading: Reading }>();
  return (asked) => {
    const key = keyOf(asked);
    const entry = kept.get(key) ?? { reading: read(asked) };
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > READINGS_REMEMBERED && oldest !== undefined) kept.delete(oldest);
    return entry.reading;
  };
}
