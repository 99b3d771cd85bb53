/** A fork's view of the store that it shares with its parent, as GitHub's fork networks do: same objects, refs of its own. */

import type { GitStore } from './git-store.ts';

/** Where the parent's store keeps the refs of a fork; nobody sees them there but the fork. */
export function forkPrefix(repoId: number): string {
  return `refs/forks/${repoId}/`;
}

export function createForkStore(shared: GitStore, repoId: number): GitStore {
  const inside = (ref: string): string => ref.replace(/^refs\//, forkPrefix(repoId));
  return {
    ...shared,
    refs: async (prefix = 'refs/') => {
      const found = await shared.refs(inside(prefix));
      return new Map([...found].map(([ref, sha]) => [ref.replace(forkPrefix(repoId), 'refs/'), sha]));
    },
    updateRef: (update) => shared.updateRef({ ...update, ref: inside(update.ref) }),
  };
}

/** The parent's own view: the refs of its forks are none of its business. */
export function withoutForks(store: GitStore): GitStore {
  return {
    ...store,
    refs: async (prefix) => {
      const found = await store.refs(prefix);
      return new Map([...found].filter(([ref]) => !ref.startsWith('refs/forks/')));
    },
  };
}
