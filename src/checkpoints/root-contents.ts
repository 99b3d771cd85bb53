/** Checkpoints in the roots that a run would write to. */

import type { SearchedRoot, StorePath } from '../domain/checkpoint/stored.ts';
import { type CheckpointPlan, OUTSIDE } from '../domain/launch/contract.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { judgeAll } from './choose.ts';
import { lineageFor } from './lineage.ts';
import { rootOf } from './start.ts';

/** `looked`: number of listed roots. `foreign`: a checkpoint outside the run's lineage. */
export type RootContents = { readonly looked: number; readonly foreign: StorePath | null };

/**
 * Whether the run's roots are empty or contain only its lineage, because a job resumes from any checkpoint in its root. `lineage`: runs
 * that may have written there. Unknown if a root could not be listed.
 */
export function rootContents(
  { from, roots }: CheckpointPlan,
  searched: readonly SearchedRoot[],
  lineage: readonly RunState[],
): Observed<RootContents> {
  // The contract starts from an unrecorded run's root.
  const begun = from !== null && from.run === OUTSIDE ? rootOf(from.path) : null;
  const found: SearchedRoot[] = [];
  for (const root of roots) {
    const one = searched.find((candidate) => candidate.root === root);
    if (one === undefined) return unknown(`${root} was not listed`);
    if (one.found.kind === 'unknown') return unknown(`${root}: ${one.found.why}`);
    if (root !== begun) found.push(one);
  }
  const all = judgeAll({ roots: found, lineage: null });
  const foreignTo = (state: RunState): ReadonlySet<StorePath> => {
    const search = { roots: found, lineage: lineageFor(state) };
    const foreign = judgeAll(search).filter(({ standing }) => standing === 'foreign');
    return new Set(foreign.map(({ stored }) => stored.path));
  };
  const sets = lineage.map(foreignTo);
  const first = all.find(({ stored }) => sets.every((foreign) => foreign.has(stored.path)));
  return known({ looked: roots.length, foreign: first?.stored.path ?? null });
}
