/** Detects added files that are removed files under a new path, with git's default threshold of one half. */

import { git as limits } from '../../limits/limits.ts';
import { similarity } from './similarity.ts';
import type { FileSide } from './tree-changes.ts';

export type Moved = { readonly path: string; readonly side: FileSide };

/**
 * Maps each added path to the removed path that it came from. First equal content, then a file name that is unique on
 * both sides with three quarters similarity, then the best of all remaining pairs
 * (https://git-scm.com/docs/gitdiffcore).
 */
export function detectRenames(
  removed: readonly Moved[],
  added: readonly Moved[],
  contentOf: (file: Moved) => Uint8Array,
): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  const used = new Set<string>();
  const pair = (from: Moved, to: Moved): void => {
    origins.set(to.path, from.path);
    used.add(from.path);
  };
  const openRemoved = (): readonly Moved[] => removed.filter((file) => !used.has(file.path));
  const openAdded = (): readonly Moved[] => added.filter((file) => !origins.has(file.path));
  pairEqual(openRemoved, added, pair);
  const text = (files: readonly Moved[]): readonly Moved[] => files.filter((file) => isRegular(file.side));
  pairByName(text(openRemoved()), text(openAdded()), contentOf, pair);
  for (const { from, to } of rankedPairs(text(openRemoved()), text(openAdded()), contentOf))
    if (!used.has(from.path) && !origins.has(to.path)) pair(from, to);
  return origins;
}

type Pair = (from: Moved, to: Moved) => void;

const alikeAtLeast = 0.5;
const alikeAtLeastByName = 0.75;

function pairEqual(openRemoved: () => readonly Moved[], added: readonly Moved[], pair: Pair): void {
  for (const to of added) {
    const equal = openRemoved().filter((from) => from.side.sha === to.side.sha && kindsMatch(from.side, to.side));
    const best = equal.find((from) => baseName(from.path) === baseName(to.path)) ?? equal[0];
    if (best !== undefined) pair(best, to);
  }
}

function pairByName(
  removed: readonly Moved[],
  added: readonly Moved[],
  contentOf: (file: Moved) => Uint8Array,
  pair: Pair,
): void {
  const targets = Map.groupBy(added, (file) => baseName(file.path));
  for (const [name, sources] of Map.groupBy(removed, (file) => baseName(file.path))) {
    const [from, to] = [sources[0], targets.get(name)?.[0]];
    if (sources.length !== 1 || targets.get(name)?.length !== 1 || from === undefined || to === undefined) continue;
    if (similarity(contentOf(from), contentOf(to)) >= alikeAtLeastByName) pair(from, to);
  }
}

function rankedPairs(
  removed: readonly Moved[],
  added: readonly Moved[],
  contentOf: (file: Moved) => Uint8Array,
): readonly { readonly from: Moved; readonly to: Moved }[] {
  if (removed.length * added.length > limits.renamePairs) return [];
  return added
    .flatMap((to) =>
      removed.map((from) => ({
        from,
        to,
        alike: similarity(contentOf(from), contentOf(to)),
        sameName: baseName(from.path) === baseName(to.path) ? 1 : 0,
      })),
    )
    .filter(({ alike }) => alike >= alikeAtLeast)
    .sort((a, b) => b.alike - a.alike || b.sameName - a.sameName);
}

function kindsMatch(one: FileSide, other: FileSide): boolean {
  return (isRegular(one) && isRegular(other)) || one.mode === other.mode;
}

function isRegular(side: FileSide): boolean {
  return side.mode === '100644' || side.mode === '100755';
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
