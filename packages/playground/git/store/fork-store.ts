/**
 * A fork's view of the store that it shares with its parent, as in GitHub's fork networks: same objects, separate refs.
 */

import type { GitStore } from './git-store.ts';

/** The prefix of a fork's refs in the parent's store; only the fork sees them. */
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

/** The parent's own view, without the refs of its forks. */
export function withoutForks(store: GitStore): GitStore {
  return {
    ...store,
    refs: async (prefix) => {
      const found = await store.refs(prefix);
      return new Map([...found].filter(([ref]) => !ref.startsWith('refs/forks/')));
    },
  };
}
