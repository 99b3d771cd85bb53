/** Bounds memory use: a cache with a maximum size, and garbage collection on demand. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export type BoundedCache<Value> = {
  /** The cached value of the key; otherwise caches the result of `make`. */
  readonly get: (key: string, make: () => Value) => Value;
  readonly delete: (key: string) => void;
};

/** Creates a cache. Beyond `max` values, removes the least recently used one and passes it to `letGo`. */
export function createKept<Value>(max: number, onDrop: (value: Value) => void = () => undefined): BoundedCache<Value> {
  const all = new Map<string, Value>();
  return {
    get: (key, make) => {
      const held = all.get(key);
      const value = held === undefined ? make() : held;
      all.delete(key);
      all.set(key, value);
      for (const [oldest, old] of all) {
        if (all.size <= max) break;
        onDrop(old);
        all.delete(oldest);
      }
      return value;
    },
    delete: (key) => {
      all.delete(key);
    },
  };
}

/** A collection takes about a hundred milliseconds; an observation leaves about 100 kB of garbage. */
const GARBAGE_BYTES_MAX = 12 * 2 ** 20;
/** Above this, the collector returns memory to the system, which takes several passes. A watch of a thousand runs may have 300 MB. */
const RESIDENT_BYTES_MAX = 280 * 2 ** 20;

/**
 * Runs the garbage collector once enough garbage may exist, because V8 lets its heap grow to several times the live size. Returns whether
 * it ran.
 */
export function createMemorySaver(): () => boolean {
  let aliveBytes = 0;
  return () => {
    const { heapUsed } = process.memoryUsage();
    if (heapUsed < aliveBytes + GARBAGE_BYTES_MAX) return false;
    collectGarbage();
    aliveBytes = process.memoryUsage().heapUsed;
    return true;
  };
}

/** An action cannot pass options to Node, but a new context exposes `gc`. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  const flavor = process.memoryUsage.rss() > RESIDENT_BYTES_MAX ? 'last-resort' : 'regular';
  if (typeof gc === 'function') gc({ type: 'major', execution: 'sync', flavor });
}
