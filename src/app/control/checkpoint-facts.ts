/** Lists checkpoints below the roots of a run and measures those that may be deleted. */

import { cleanupOf, depthOf, listed, rootsOf } from '../../checkpoints/cleanup.ts';
import { rootOf } from '../../checkpoints/start.ts';
import type {
  CheckpointReader,
  CheckpointSize,
  FoundCheckpoints,
  SearchedRoot,
  StorePath,
} from '../../domain/checkpoint/stored.ts';
import type { CheckpointPlan } from '../../domain/launch/contract.ts';
import { failedAttempt, rollbackOf } from '../../domain/launch/next-attempt.ts';
import type { RunState } from '../../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../../domain/values.ts';
import type { LaneScopedConfig } from '../../run/lane-scope.ts';

type StoreOf = (path: StorePath) => Observed<CheckpointReader>;

/** Roots to search before a launch (the starting checkpoint, an empty output folder) and after an attempt (where to resume). */
export function wantedRoots(plan: CheckpointPlan | null, state: RunState): readonly StorePath[] {
  if (plan === null) return [];
  const back = rollbackOf(state)?.checkpoint ?? null;
  const ran = state.attempts.length > 0 || state.submission !== null;
  // An attempt without a usable checkpoint of its own starts again from its initial checkpoint.
  const begun = failedAttempt(state)?.order.manifest?.resume.initializeFrom ?? null;
  const path = (ran ? (back?.path ?? begun) : plan.from?.path) ?? null;
  return [...new Set([...plan.roots, ...(path === null ? [] : [rootOf(path)])])];
}

/** Lists every root; each root carries its own error. */
export async function foundCheckpoints(
  state: RunState,
  runs: readonly RunState[],
  { lane }: LaneScopedConfig,
  storeOf: StoreOf,
): Promise<Observed<FoundCheckpoints>> {
  const paths = rootsOf(state, lane);
  if (paths.length === 0) return unknown('nothing says yet where they lie');
  const roots = await searchRoots(paths, storeOf);
  const retention = cleanupOf(state, runs, roots, depthOf(state, null) ?? 1);
  const sizes = new Map<StorePath, Observed<CheckpointSize>>();
  if (retention.kind === 'known')
    for (const { stored } of listed(retention.value)) {
      const store = storeOf(stored.path);
      sizes.set(stored.path, store.kind === 'unknown' ? store : await store.value.measure(stored.path));
    }
  return known({ roots, sizes });
}

/** Lists each root in its store. */
export function searchRoots(roots: readonly StorePath[], storeOf: StoreOf): Promise<SearchedRoot[]> {
  return Promise.all(
    roots.map(async (root) => {
      const store = storeOf(root);
      return { root, found: store.kind === 'unknown' ? store : await store.value.list(root) };
    }),
  );
}

/** Searches each root once within a trigger. */
export async function searchedOnce(
  once: <Value>(key: string, read: () => Promise<Value>) => Promise<Value>,
  roots: readonly StorePath[],
  storeOf: StoreOf,
): Promise<SearchedRoot[]> {
  const found = roots.map((root) => once(`root ${root}`, () => searchRoots([root], storeOf)));
  return (await Promise.all(found)).flat();
}
