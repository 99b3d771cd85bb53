/** `git log` over commits in memory: by date, with git's default history simplification when paths are named. */

import type { CommitObject, GitStore, Sha, TreeEntry } from './git-store.ts';
import { literalPaths } from './literal-paths.ts';
import { type CommitLookup, excludedFrom } from './memory-ancestry.ts';
import { createOrderedQueue } from './ordered-queue.ts';

export type LogQuery = Parameters<GitStore['log']>[0];

export type TreeLookup = (sha: Sha) => readonly TreeEntry[] | undefined;

/**
 * Commits as `git log --max-count=<limit> from ^not -- paths` lists them. Simplification follows "Default mode" of
 * https://git-scm.com/docs/git-log#_history_simplification: a merge that equals one parent follows that parent alone.
 */
export function memoryLog(
  commits: CommitLookup,
  trees: TreeLookup,
  query: LogQuery,
): readonly CommitObject[] {
  const { from, not, limit } = query;
  const start = commits(from);
  if (start === undefined) return [];
  const walk: Walk = {
    commits,
    trees,
    not,
    paths: literalPaths(query.paths),
    excluded: not === undefined ? new Set() : excludedFrom(commits, from, not),
  };
  const queue = createOrderedQueue<CommitObject>((commit) => commit.committer.atMs);
  const seen = new Set<Sha>([from]);
  const found: CommitObject[] = [];
  if (!walk.excluded.has(from)) queue.push(start.commit);
  while (found.length < limit) {
    const commit = queue.pop();
    if (commit === undefined) break;
    const { shown, parents } = simplify(walk, commit);
    if (shown) found.push(commit);
    for (const parent of parents) {
      const record = commits(parent);
      if (record === undefined || seen.has(parent) || walk.excluded.has(parent)) continue;
      seen.add(parent);
      queue.push(record.commit);
    }
  }
  return found;
}

type Walk = {
  readonly commits: CommitLookup;
  readonly trees: TreeLookup;
  readonly not: Sha | undefined;
  readonly paths: readonly string[] | null;
  readonly excluded: ReadonlySet<Sha>;
};

type Simplified = { readonly shown: boolean; readonly parents: readonly Sha[] };

function simplify(walk: Walk, commit: CommitObject): Simplified {
  const { paths } = walk;
  if (paths === null) return { shown: true, parents: commit.parents };
  if (commit.parents.length === 0)
    return { shown: paths.some((path) => entryAt(walk.trees, commit.tree, path) !== null), parents: [] };
  const compared = commit.parents.map((sha) => ({
    sha,
    same: samePaths(walk, paths, commit.tree, walk.commits(sha)?.commit.tree),
    // git compares with the excluded commit itself, yet not with what lies behind it.
    relevant: sha === walk.not || !walk.excluded.has(sha),
  }));
  const followed = compared.find(({ same, relevant }) => same && relevant);
  if (followed !== undefined) return { shown: false, parents: [followed.sha] };
  const counted = compared.some(({ relevant }) => relevant) ? compared.filter((p) => p.relevant) : compared;
  return { shown: counted.some(({ same }) => !same), parents: commit.parents };
}

function samePaths(walk: Walk, paths: readonly string[], tree: Sha, other: Sha | undefined): boolean {
  if (tree === other) return true;
  if (other === undefined) return false;
  return paths.every((path) => entryAt(walk.trees, tree, path) === entryAt(walk.trees, other, path));
}

/** Mode and id of what stands at the path, as one comparable text; null when there is nothing. */
function entryAt(trees: TreeLookup, tree: Sha, path: string): string | null {
  let here: TreeEntry | undefined = { mode: '040000', type: 'tree', name: '', sha: tree };
  for (const name of path.split('/')) {
    if (here?.type !== 'tree') return null;
    here = trees(here.sha)?.find((entry) => entry.name === name);
  }
  return here === undefined ? null : `${here.mode} ${here.sha}`;
}
