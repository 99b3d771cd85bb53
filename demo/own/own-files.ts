/** Files of a branch that a rehearsal reads: the config, the workflows. */

import type { GitStore, Sha } from '../../packages/playground/git/store/git-store.ts';
import { entryAt } from '../../packages/playground/git/store/git-trees.ts';
import { readPath } from '../../packages/playground/git/store/memory-remote.ts';
import { actions as limits } from '../../packages/playground/limits/limits.ts';

const WORKFLOWS = '.github/workflows';

/** The commit of a branch, which must exist. */
export async function branchTip(store: GitStore, branch: string): Promise<Sha> {
  const ref = `refs/heads/${branch}`;
  const tip = (await store.refs(ref)).get(ref);
  if (tip === undefined) throw new Error(`the clone has no branch ${branch}`);
  return tip;
}

/** The text of a file; null when there is none. */
export async function readTextAt(store: GitStore, commit: Sha, path: string): Promise<string | null> {
  const bytes = await readPath(store, commit, path);
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** Texts of the workflow files, by path. */
export async function readWorkflowsAt(store: GitStore, commit: Sha): Promise<ReadonlyMap<string, string>> {
  const tree = (await store.readCommit(commit))?.tree;
  const folder = tree === undefined ? null : await entryAt(store, tree, WORKFLOWS);
  const entries = folder?.type === 'tree' ? ((await store.readTree(folder.sha)) ?? []) : [];
  const names = entries.filter(({ type, name }) => type === 'blob' && /\.ya?ml$/.test(name));
  const texts = new Map<string, string>();
  for (const { name } of names.slice(0, limits.workflowFiles)) {
    const path = `${WORKFLOWS}/${name}`;
    texts.set(path, (await readTextAt(store, commit, path)) ?? '');
  }
  return texts;
}
