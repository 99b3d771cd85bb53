/** Readings of what was read before: a trigger asks for the same config and the same body again and again. */

/** Texts whose reading a process keeps: the bodies of all live runs and the config, a few hundred KB. */
export const READINGS_REMEMBERED = 50;

/**
 * `read` as a function that keeps its newest answers. Only for a pure `read` whose answers nobody changes. `keyOf` is
 * the whole of what the answer depends on, so that an edit is seen at once; the longest unasked answer goes first.
 */
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
