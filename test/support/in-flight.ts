/** Counts the real work that is under way in a virtual lab (requests, processes, deliveries): while there is any, its clock stands still. */

export type InFlight = {
  /** Grows with everything that begins, ends or happens. */
  readonly changes: () => number;
  /** Something happened that takes no time of this machine. */
  readonly note: () => void;
  /** Work that takes time of this machine; `name` says in an error what hangs. */
  readonly track: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Inside tracked work: a wait for the virtual clock, which would otherwise wait for it in turn. */
  readonly park: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Resolves when nothing is under way, without looking again and again. */
  readonly idle: () => Promise<void>;
};

/** No request, process or delivery of a lab takes so long on the slowest machine. */
const HANGS_MS = 120_000;

/** A count at zero; one lab has one. */
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

async function nextIdle(
  subscribe: (go: () => void) => void,
  names: ReadonlyMap<symbol, string>,
): Promise<void> {
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
