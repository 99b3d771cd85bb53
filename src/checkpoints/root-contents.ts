/** Whether the place that a run would write to is empty, or has its own line of training: a job takes the newest checkpoint that lies in its root, whoever left it there. */

import type { SearchedRoot, StorePath } from '../domain/checkpoint/stored.ts';
import { type CheckpointPlan, OUTSIDE } from '../domain/launch/contract.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { judgeAll } from './choose.ts';
import { lineageFor } from './lineage.ts';
import { rootOf } from './start.ts';

/** `looked`: how many places could be listed at all. `foreign`: what lies there and is no checkpoint of the run's own line. */
export type RootContents = { readonly looked: number; readonly foreign: StorePath | null };

/** `lineage`: runs of which attempts may have written there. Unknown where a place cannot be listed. */
export function rootContents(
  { from, roots }: CheckpointPlan,
  searched: readonly SearchedRoot[],
  lineage: readonly RunState[],
): Observed<RootContents> {
  // Where its contract begins it from what nobody recorded, that line is its own.
  const begun = from !== null && from.run === OUTSIDE ? rootOf(from.path) : null;
  const found: SearchedRoot[] = [];
  for (const root of roots) {
    const one = searched.find((candidate) => candidate.root === root);
    if (one === undefined) return unknown(`${root} was not listed`);
    if (one.found.kind === 'unknown') return unknown(`${root}: ${one.found.why}`);
    if (root !== begun) found.push(one);
  }
  const all = judgeAll({ roots: found, lineage: null, maxStep: null, excludePaths: [] });
  const foreignTo = (state: RunState): ReadonlySet<StorePath> => {
    const search = { roots: found, lineage: lineageFor(state), maxStep: null, excludePaths: [] };
    const foreign = judgeAll(search).filter(({ standing }) => standing === 'foreign');
    return new Set(foreign.map(({ stored }) => stored.path));
  };
  const sets = lineage.map(foreignTo);
  const first = all.find(({ stored }) => sets.every((foreign) => foreign.has(stored.path)));
  return known({ looked: roots.length, foreign: first?.stored.path ?? null });
}
