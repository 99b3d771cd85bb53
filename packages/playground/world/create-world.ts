/** Creates the playground's GitHub in one process. */

import { randomBytes } from 'node:crypto';
import { answer } from '../api/api.ts';
import type { Clock } from '../clock.ts';
import { answerWithFaults } from '../faults/request-faults.ts';
import { skewMs } from '../faults/strike.ts';
import { createForkStore, withoutForks } from '../git/store/fork-store.ts';
import type { GitStore } from '../git/store/git-store.ts';
import { createBus } from './bus.ts';
import { emptyState, type State } from './state.ts';
import type { World } from './world.ts';

export type WorldOptions = {
  readonly clock: Clock;
  readonly gitStores: (owner: string, name: string) => GitStore;
  readonly baseUrl: string;
  readonly state?: State;
  readonly onChange?: (state: State) => void | Promise<void>;
  readonly randomBytes?: (count: number) => Uint8Array;
};

/** A world that continues from `state`, or an empty one; `onChange` must have saved the state when it resolves. */
export function createWorld(options: WorldOptions): World {
  const stores = new Map<number, GitStore>();
  const state = withoutInheritance(options.state ?? emptyState());
  const world: World = {
    clock: { ...options.clock, now: () => options.clock.now() + skewMs(state.settings.faults) },
    state,
    baseUrl: options.baseUrl,
    bus: createBus(),
    gitOf: (repo) => {
      const known = stores.get(repo.id);
      if (known !== undefined) return known;
      const parent = repo.forkOfId === undefined ? undefined : state.repos[repo.forkOfId];
      const opened =
        parent === undefined
          ? withoutForks(options.gitStores(repo.owner, repo.name))
          : createForkStore(options.gitStores(parent.owner, parent.name), repo.id);
      stores.set(repo.id, opened);
      return opened;
    },
    randomBytes: options.randomBytes ?? ((count) => new Uint8Array(randomBytes(count))),
    save: async () => {
      await options.onChange?.(state);
    },
    fetch: (request) => answerWithFaults(world, request, (inner) => answer(world, inner)),
  };
  return world;
}

/** Requests choose table keys, and one may be `constructor`: a table must contain only its rows. */
function withoutInheritance(state: State): State {
  for (const table of Object.values(state)) {
    if (typeof table === 'object' && !Array.isArray(table)) Object.setPrototypeOf(table, null);
  }
  return state;
}
