/**
 * Counts real work in a virtual lab (requests, processes, deliveries): the clock does not move while there is
 * any.
 */

export type InFlight = {
  /** Increases with every start, end or event. */
  readonly changes: () => number;
  /** Counts an event that takes no real time. */
  readonly note: () => void;
  /** Runs work that takes real time; `name` appears in the error if it hangs. */
  readonly track: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Within tracked work: a wait for the virtual clock, which would otherwise wait for this work. */
  readonly park: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Resolves when no work is running, without polling. */
  readonly idle: () => Promise<void>;
};

/** No request, process or delivery of a lab takes this long on the slowest machine. */
const HANGS_MS = 120_000;

/** A count at zero; each lab has one. */
export function createInFlight(): InFlight {
  let changes = 0;
  let count = 0;
  let waiting: (() => void)[] = [];
  const names = new Map<symbol, string>();
  const add = (by: 1 | -1): void => {
    changes += 1;
    count += by;
    if (count !== 0) return;
    for (const go of waiting) go();
    waiting = [];
  };
  return {
    changes: () => changes,
    note: () => {
      changes += 1;
    },
    track: async (name, work) => {
      const key = Symbol(name);
      names.set(key, name);
      add(1);
      try {
        return await work();
      } finally {
        names.delete(key);
        add(-1);
      }
    },
    park: async (wait) => {
      add(-1);
      try {
        return await wait();
      } finally {
        add(1);
      }
    },
    idle: async () => {
      while (count > 0) await nextIdle((go) => waiting.push(go), names);
    },
  };
}

async function nextIdle(subscribe: (go: () => void) => void, names: ReadonlyMap<symbol, string>): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`under way for ${HANGS_MS / 1_000} s: ${[...names.values()].join(', ')}`)),
      HANGS_MS,
    );
    subscribe(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
