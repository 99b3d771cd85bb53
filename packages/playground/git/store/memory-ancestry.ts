/** Ancestry queries over commits in memory with generation numbers. */

import type { CommitObject, Sha } from './git-store.ts';
import { createOrderedQueue } from './ordered-queue.ts';

/** `generation` is 1 for a root and one more than the highest parent's otherwise, so no ancestor has a higher one. */
export type CommitRecord = { readonly commit: CommitObject; readonly generation: number };

export type CommitLookup = (sha: Sha) => CommitRecord | undefined;

/** True when `ancestor` is `descendant` or reachable from it; false when either is absent. */
export function isAncestorOf(lookup: CommitLookup, ancestor: Sha, descendant: Sha): boolean {
  const target = lookup(ancestor);
  if (target === undefined || lookup(descendant) === undefined) return false;
  const seen = new Set<Sha>([descendant]);
  const open = [descendant];
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    if (sha === ancestor) return true;
    const record = lookup(sha);
    if (record === undefined || record.generation <= target.generation) continue;
    for (const parent of record.commit.parents) {
      if (seen.has(parent)) continue;
      seen.add(parent);
      open.push(parent);
    }
  }
  return false;
}

/** The best common ancestor, the newest where several are equally good (`git merge-base`); null when there is none. */
export function findMergeBase(lookup: CommitLookup, a: Sha, b: Sha): Sha | null {
  const bases: CommitRecord[] = [];
  const fromBoth = fromA | fromB;
  propagateFlags(
    lookup,
    [
      [a, fromA],
      [b, fromB],
    ],
    (record, flags) => {
      if ((flags & fromBoth) !== fromBoth) return flags;
      if ((flags & belowBase) === 0) bases.push(record);
      return flags | belowBase;
    },
    belowBase,
  );
  bases.sort((one, other) => other.commit.committer.atMs - one.commit.committer.atMs);
  return bases[0]?.commit.sha ?? null;
}

/**
 * The commits that a walk from `from` must omit: those reachable from `not`. Ancestors of `not` that are further back
 * than any commit reachable from `from` may be missing, because such a walk never gets there.
 */
export function excludedFrom(lookup: CommitLookup, from: Sha, not: Sha): ReadonlySet<Sha> {
  const flagsOf = propagateFlags(
    lookup,
    [
      [from, fromA],
      [not, fromB],
    ],
    (_record, flags) => flags,
    fromB,
  );
  return new Set([...flagsOf].filter(([, flags]) => (flags & fromB) !== 0).map(([sha]) => sha));
}

const fromA = 1;
const fromB = 2;
const belowBase = 4;

/**
 * Propagates flags from the starts to their ancestors, highest generation first, so that a commit's flags are complete
 * when it is visited. `visit` returns what its parents inherit. Ends when all waiting commits have `settled`.
 */
function propagateFlags(
  lookup: CommitLookup,
  starts: readonly (readonly [Sha, number])[],
  visit: (record: CommitRecord, flags: number) => number,
  settled: number,
): ReadonlyMap<Sha, number> {
  const flagsOf = new Map<Sha, number>();
  const queue = createOrderedQueue<CommitRecord>((record) => record.generation);
  const mark = (sha: Sha, flags: number): void => {
    const known = flagsOf.get(sha);
    flagsOf.set(sha, (known ?? 0) | flags);
    const record = lookup(sha);
    if (known === undefined && record !== undefined) queue.push(record);
  };
  for (const [sha, flags] of starts) mark(sha, flags);
  while (!queue.every(({ commit }) => ((flagsOf.get(commit.sha) ?? 0) & settled) !== 0)) {
    const record = queue.pop();
    if (record === undefined) break;
    const inherited = visit(record, flagsOf.get(record.commit.sha) ?? 0);
    for (const parent of record.commit.parents) mark(parent, inherited);
  }
  return flagsOf;
}
