/** Merges two histories like the merge button does, file by file. */

import { playground } from '../limits/limits.ts';
import type { CommitObject, FileChange, GitStore, Sha, Signature } from './store/git-store.ts';
import { changeTree, entryAt, type PathChange } from './store/git-trees.ts';

export type MergedTree = { readonly ok: true; readonly tree: Sha } | { readonly ok: false };

/**
 * The tree of `base` with the changes of `head` since `ancestor`. If both sides changed a file to different content, it
 * is a conflict, even where git could merge the texts: the playground is stricter.
 */
export async function mergeTrees(store: GitStore, base: Sha, head: Sha, ancestor: Sha): Promise<MergedTree> {
  const [ours, theirs] = await Promise.all([store.diff(ancestor, base), store.diff(ancestor, head)]);
  const mine = await pathChanges(store, base, ours);
  const other = await pathChanges(store, head, theirs);
  for (const [path, change] of other) {
    const known = mine.get(path);
    if (known === undefined) continue;
    if (known?.sha !== change?.sha || known?.mode !== change?.mode) return { ok: false };
  }
  const commit = await store.readCommit(base);
  return { ok: true, tree: await changeTree(store, commit === null ? base : commit.tree, other) };
}

export type MergeMethod = 'merge' | 'squash' | 'rebase';

export type MergePlan = {
  readonly method: MergeMethod;
  readonly base: Sha;
  readonly head: Sha;
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
};

/** Writes the commits of a merge and returns the new tip, or null on a conflict. */
export async function writeMerge(store: GitStore, plan: MergePlan): Promise<Sha | null> {
  const ancestor = await store.mergeBase(plan.base, plan.head);
  if (ancestor === null) return null;
  if (plan.method === 'rebase') return rebase(store, plan, ancestor);
  const merged = await mergeTrees(store, plan.base, plan.head, ancestor);
  if (!merged.ok) return null;
  return store.writeCommit({
    tree: merged.tree,
    parents: plan.method === 'merge' ? [plan.base, plan.head] : [plan.base],
    author: plan.author,
    committer: plan.committer,
    message: plan.message,
  });
}

/** Whether the merge button would be enabled; null when the histories are unrelated. */
export async function canMerge(store: GitStore, base: Sha, head: Sha): Promise<boolean | null> {
  const ancestor = await store.mergeBase(base, head);
  if (ancestor === null) return null;
  return (await mergeTrees(store, base, head, ancestor)).ok;
}

async function rebase(store: GitStore, plan: MergePlan, ancestor: Sha): Promise<Sha | null> {
  const commits = await store.log({ from: plan.head, not: plan.base, limit: playground.commitsWalked });
  let tip = plan.base;
  for (const commit of commits.toReversed()) {
    // A merge commit has no change of its own to replay; its parents' commits are replayed.
    if (commit.parents.length > 1) continue;
    const next = await replay(store, commit, tip, plan.committer, ancestor);
    if (next === null) return null;
    tip = next;
  }
  return tip;
}

async function replay(
  store: GitStore,
  commit: CommitObject,
  onto: Sha,
  committer: Signature,
  ancestor: Sha,
): Promise<Sha | null> {
  const merged = await mergeTrees(store, onto, commit.sha, commit.parents[0] ?? ancestor);
  if (!merged.ok) return null;
  const { author, message } = commit;
  return store.writeCommit({ tree: merged.tree, parents: [onto], author, committer, message });
}

async function pathChanges(
  store: GitStore,
  commit: Sha,
  files: readonly FileChange[],
): Promise<ReadonlyMap<string, PathChange>> {
  const tree = (await store.readCommit(commit))?.tree ?? commit;
  const changes = new Map<string, PathChange>();
  for (const file of files) {
    if (file.previousPath !== null) changes.set(file.previousPath, null);
    const entry = file.status === 'removed' ? null : await entryAt(store, tree, file.path);
    changes.set(file.path, entry === null ? null : { mode: entry.mode, sha: entry.sha });
  }
  return changes;
}
