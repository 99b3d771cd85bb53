/** The states of a commit's checks and statuses, the newest for each name and origin. */

import type { BranchProtection, Repo } from '../world/state.ts';
import type { RequiredCheck } from '../world/state-settings.ts';
import type { World } from '../world/world.ts';

/** The checks that a protected branch requires, each from a given App if the protection names one. */
export function listRequiredChecks(protection: BranchProtection): readonly RequiredCheck[] {
  return protection.requiredChecks.map((context) => ({ context, appId: protection.checkAppIds?.[context] ?? null }));
}

export type CheckState = {
  readonly name: string;
  /** The App of a check run; null for a commit status. */
  readonly appId: number | null;
  readonly state: 'green' | 'red' | 'pending';
};

const passing = ['success', 'neutral', 'skipped'];

export function checkStates(world: World, repo: Repo, sha: string): readonly CheckState[] {
  const newest = new Map<string, CheckState>();
  for (const run of Object.values(world.state.checkRuns)) {
    if (run.repoId !== repo.id || run.headSha !== sha) continue;
    const isOver = run.status === 'completed';
    const state = isOver ? (passing.includes(run.conclusion ?? '') ? 'green' : 'red') : 'pending';
    newest.set(`run ${run.appId} ${run.name}`, { name: run.name, appId: run.appId, state });
  }
  for (const status of Object.values(world.state.statuses)) {
    if (status.repoId !== repo.id || status.sha !== sha) continue;
    const state = status.state === 'success' ? 'green' : status.state === 'pending' ? 'pending' : 'red';
    newest.set(`status ${status.context}`, { name: status.context, appId: null, state });
  }
  return [...newest.values()];
}

export type UnmetCheck = { readonly context: string; readonly how: 'expected' | 'failing' | 'pending' };

/** Required checks that are not green, each with its state; `expected` = not reported yet. */
export function listUnmetChecks(
  wanted: readonly RequiredCheck[],
  states: readonly CheckState[],
): readonly UnmetCheck[] {
  return wanted.flatMap(({ context, appId }): readonly UnmetCheck[] => {
    const own = states.filter((one) => one.name === context && (appId === null || one.appId === appId));
    if (own.length === 0) return [{ context, how: 'expected' }];
    if (own.every(({ state }) => state === 'green')) return [];
    return [{ context, how: own.some(({ state }) => state === 'red') ? 'failing' : 'pending' }];
  });
}
