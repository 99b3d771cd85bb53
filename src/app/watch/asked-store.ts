/** The stores of a run's checkpoints, as the watch asks them. */

import { storedNow, watchedRoots } from '../../checkpoints/watched.ts';
import { limits } from '../../domain/limits.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';
import { isStoreDue } from '../../watch/store-seen.ts';
import type { Lab } from '../lab.ts';
import type { AskedStore } from './look.ts';

/** Null where its kind does not have them asked, it is too early, or nobody here can look there. */
export function askedStore(
  { stores, now }: Pick<Lab, 'stores' | 'now'>,
  { kind, lane }: LaneScopedConfig,
  state: RunState,
): AskedStore | null {
  if (kind.isCritical !== true || !isStoreDue(state, now())) return null;
  const roots = watchedRoots(state, lane);
  if (roots.length === 0) return null;
  return async (upTo) => {
    const wanted = { most: limits.storeLookReads, upTo };
    const searched = roots.map(async (root) => {
      const store = stores(root);
      return { root, found: store.kind === 'unknown' ? store : await store.value.newest(root, wanted) };
    });
    return storedNow(state, await Promise.all(searched));
  };
}
