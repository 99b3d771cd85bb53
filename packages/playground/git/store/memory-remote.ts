/** Uses a store as a remote without a process: read at a commit, and push a commit that changes some files. */

import type { GitStore, RefOutcome, Sha, Signature } from './git-store.ts';
import { changeTree, entryAt, type PathChange } from './git-trees.ts';

/** Bytes of the file at the path in a commit (or tree); null when there is no file. */
export async function readPath(store: GitStore, commit: Sha, path: string): Promise<Uint8Array | null> {
  const tree = await rootTree(store, commit);
  const entry = tree === null ? null : await entryAt(store, tree, path);
  return entry?.type === 'blob' ? store.readBlob(entry.sha) : null;
}

/** Id of the tree at the path in a commit (or tree), `''` for its root; null when there is no folder. */
export async function treeAt(store: GitStore, commit: Sha, path: string): Promise<Sha | null> {
  const tree = await rootTree(store, commit);
  const entry = tree === null ? null : await entryAt(store, tree, path);
  return entry?.type === 'tree' ? entry.sha : null;
}

export type FilesCommit = {
  readonly ref: string;
  /** The parent commit, at which the ref must still be; null = the ref must not exist, and a root commit is created. */
  readonly expected: Sha | null;
  /** Path to its complete new content; null deletes it. Other files and the modes of existing files stay. */
  readonly files: Readonly<Record<string, string | Uint8Array | null>>;
  readonly message: string;
  readonly author: Signature;
};

/** One commit on the ref, like a clone, edit and push; `sha` is the commit even if the push was rejected. */
export async function commitFiles(
  store: GitStore,
  { ref, expected, files, message, author }: FilesCommit,
): Promise<{ readonly outcome: RefOutcome; readonly sha: Sha }> {
  const base = expected === null ? null : await rootTree(store, expected);
  if (expected !== null && base === null) throw new Error(`no commit ${expected} to build on`);
  const changes = new Map<string, PathChange>();
  for (const [path, content] of Object.entries(files)) {
    const known = base === null ? null : await entryAt(store, base, path);
    const mode = known?.type === 'blob' ? known.mode : '100644';
    changes.set(path, content === null ? null : { mode, sha: await store.writeBlob(Buffer.from(content)) });
  }
  const tree = await changeTree(store, base, changes);
  const parents = expected === null ? [] : [expected];
  const sha = await store.writeCommit({ tree, parents, author, committer: author, message });
  return { outcome: await store.updateRef({ ref, sha, expected }), sha };
}

async function rootTree(store: GitStore, id: Sha): Promise<Sha | null> {
  const commit = await store.readCommit(id);
  if (commit !== null) return commit.tree;
  return (await store.readTree(id)) === null ? null : id;
}
