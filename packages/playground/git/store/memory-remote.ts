/** A store used as a remote without any process: read at a commit, and push a commit that changes some files. */

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
  /** The commit to build on, which the ref must still be at; null = the ref must not exist, a root commit is made. */
  readonly expected: Sha | null;
  /** Path to its whole new content; null removes it. Other files stay, and so do modes of files that exist. */
  readonly files: Readonly<Record<string, string | Uint8Array | null>>;
  readonly message: string;
  readonly author: Signature;
};

/** One commit on the ref, as a clone, edit and push would make it; `sha` is the commit also when the push lost. */
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
