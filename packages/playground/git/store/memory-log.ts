/** `git log` over commits in memory: by date, with git's default history simplification for paths. */

import type { CommitObject, GitStore, Sha, TreeEntry } from './git-store.ts';
import { literalPaths } from './literal-paths.ts';
import { type CommitLookup, excludedFrom } from './memory-ancestry.ts';
import { createOrderedQueue } from './ordered-queue.ts';

type LogQuery = Parameters<GitStore['log']>[0];

type TreeLookup = (sha: Sha) => readonly TreeEntry[] | undefined;

/**
 * Commits as `git log --max-count=<limit> from ^not -- paths` lists them. Simplification follows "Default mode" of
 * https://git-scm.com/docs/git-log#_history_simplification: a merge that equals one parent follows only that parent.
 */
export function memoryLog(commits: CommitLookup, trees: TreeLookup, query: LogQuery): readonly CommitObject[] {
  const { from, not, limit } = query;
  const excluded = not === undefined ? new Set<Sha>() : excludedFrom(commits, from, not);
  const paths = literalPaths(query.paths);
  const walk: Walk = { commits, trees, not, paths, read: new Set([from]), marked: new Set() };
  const queue = createOrderedQueue<CommitObject>((commit) => commit.committer.atMs);
  const seen = new Set<Sha>();
  const enqueue = (sha: Sha): void => {
    const record = commits(sha);
    if (record === undefined || seen.has(sha)) return;
    seen.add(sha);
    queue.push(record.commit);
  };
  enqueue(from);
  if (not !== undefined) {
    walk.read.add(not);
    markExcluded(walk, [not]);
    enqueue(not);
  }
  const found: CommitObject[] = [];
  while (found.length < limit && !queue.every(({ sha }) => walk.marked.has(sha))) {
    const commit = queue.pop();
    if (commit === undefined) break;
    const { shown, parents } = walk.marked.has(commit.sha)
      ? propagateExclusion(walk, commit)
      : simplifyHistory(walk, commit);
    if (shown && !excluded.has(commit.sha)) found.push(commit);
    for (const parent of parents) enqueue(parent);
  }
  return found;
}

/**
 * git finds excluded commits during its walk, and compares a merge with its parents by what it knows at that point.
 * `marked` are the commits found excluded so far, `read` those with known parents; marks spread only through these.
 */
type Walk = {
  readonly commits: CommitLookup;
  readonly trees: TreeLookup;
  readonly not: Sha | undefined;
  readonly paths: readonly string[] | null;
  readonly read: Set<Sha>;
  readonly marked: Set<Sha>;
};

type Step = { readonly shown: boolean; readonly parents: readonly Sha[] };

function markExcluded(walk: Walk, shas: readonly Sha[]): void {
  const open = [...shas];
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    if (walk.marked.has(sha)) continue;
    walk.marked.add(sha);
    if (walk.read.has(sha)) open.push(...(walk.commits(sha)?.commit.parents ?? []));
  }
}

/** Marks an excluded commit's parents, and their ancestors as far as they have been read. */
function propagateExclusion(walk: Walk, commit: CommitObject): Step {
  for (const parent of commit.parents) {
    walk.read.add(parent);
    markExcluded(walk, [parent, ...(walk.commits(parent)?.commit.parents ?? [])]);
  }
  return { shown: false, parents: commit.parents };
}

function simplifyHistory(walk: Walk, commit: CommitObject): Step {
  const { paths, read } = walk;
  if (paths === null) {
    for (const parent of commit.parents) read.add(parent);
    return { shown: true, parents: commit.parents };
  }
  if (commit.parents.length === 0)
    return { shown: paths.some((path) => entryAt(walk.trees, commit.tree, path) !== null), parents: [] };
  const compared: { readonly same: boolean; readonly relevant: boolean }[] = [];
  for (const parent of commit.parents) {
    read.add(parent);
    const same = samePaths(walk, paths, commit.tree, walk.commits(parent)?.commit.tree);
    // The excluded commit itself still counts in a comparison, but its ancestors do not.
    const relevant = parent === walk.not || !walk.marked.has(parent);
    if (same && relevant) return { shown: false, parents: [parent] };
    compared.push({ same, relevant });
  }
  const counted = compared.some(({ relevant }) => relevant) ? compared.filter((one) => one.relevant) : compared;
  return { shown: counted.some(({ same }) => !same), parents: commit.parents };
}

function samePaths(walk: Walk, paths: readonly string[], tree: Sha, other: Sha | undefined): boolean {
  if (tree === other) return true;
  if (other === undefined) return false;
  return paths.every((path) => entryAt(walk.trees, tree, path) === entryAt(walk.trees, other, path));
}

/** Mode and id of the entry at the path, as one comparable text; null when there is none. */
function entryAt(trees: TreeLookup, tree: Sha, path: string): string | null {
  let here: TreeEntry | undefined = { mode: '040000', type: 'tree', name: '', sha: tree };
  for (const name of path.split('/')) {
    if (here?.type !== 'tree') return null;
    here = trees(here.sha)?.find((entry) => entry.name === name);
  }
  return here === undefined ? null : `${here.mode} ${here.sha}`;
}
