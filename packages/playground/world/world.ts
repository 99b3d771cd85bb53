/**
 * The type of a world: its state, its git, its events, and its whole API as one fetch function (created by
 * create-world.ts).
 */

import type { Clock } from '../clock.ts';
import type { GitStore } from '../git/store/git-store.ts';
import type { Bus } from './bus.ts';
import type { Repo, State } from './state.ts';

export type World = {
  readonly clock: Clock;
  readonly state: State;
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly baseUrl: string;
  readonly bus: Bus;
  readonly gitOf: (repo: Repo) => GitStore;
  /** Random bytes for tokens and GUIDs; seeded in tests. */
  readonly randomBytes: (count: number) => Uint8Array;
  /**
   * Persists the state. `fetch` calls it before it answers a request that changed something; other code must call it.
   */
  readonly save: () => Promise<void>;
  /** The whole API (REST under /api/v3, GraphQL at /api/graphql) in process; the HTTP server calls the same function. */
  readonly fetch: (request: Request) => Promise<Response>;
};

/** The next id of a table: 1, 2, 3, … */
export function nextId(world: World, table: string): number {
  const id = (world.state.counters[table] ?? 0) + 1;
  world.state.counters[table] = id;
  return id;
}
