/** The playground's GitHub in one process: its state, its git, its events, and its whole API as one fetch function. */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { GitStore } from '../git/git-store.ts';
import { answer } from './api.ts';
import { type Bus, createBus } from './bus.ts';
import { emptyState, type Repo, type State } from './state.ts';

export type World = {
  readonly clock: Clock;
  readonly state: State;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly baseUrl: string;
  readonly bus: Bus;
  readonly gitOf: (repo: Repo) => GitStore;
  /** Random bytes for tokens and GUIDs; seeded in tests. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Persists the state. `fetch` does it before it answers a request that changed something; others call it themselves. */
  readonly save: () => Promise<void>;
  /** The whole API (REST under /api/v3, GraphQL at /api/graphql) in process; the HTTP server calls the same function. */
  readonly fetch: (request: Request) => Promise<Response>;
};

export type WorldOptions = {
  readonly clock: Clock;
  readonly gitStores: (owner: string, name: string) => GitStore;
  readonly baseUrl: string;
  readonly state?: State;
  readonly onChange?: (state: State) => void | Promise<void>;
  readonly randomBytes?: (count: number) => Uint8Array;
};

/** A world that goes on from `state`, or an empty one; `onChange` must have the state safe when it resolves. */
export function createWorld(options: WorldOptions): World {
  const stores = new Map<number, GitStore>();
  const state = options.state ?? emptyState();
  const world: World = {
    clock: options.clock,
    state,
    baseUrl: options.baseUrl,
    bus: createBus(),
    gitOf: (repo) => {
      const known = stores.get(repo.id);
      if (known !== undefined) return known;
      const opened = options.gitStores(repo.owner, repo.name);
      stores.set(repo.id, opened);
      return opened;
    },
    randomBytes: options.randomBytes ?? ((count) => new Uint8Array(randomBytes(count))),
    save: async () => {
      await options.onChange?.(state);
    },
    fetch: (request) => answer(world, request),
  };
  return world;
}

/** The next id of a table: 1, 2, 3, … */
export function nextId(world: World, table: string): number {
  const id = (world.state.counters[table] ?? 0) + 1;
  world.state.counters[table] = id;
  return id;
}
