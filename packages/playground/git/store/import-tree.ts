/** Creates a repository's first commit from a folder on disk; the same folder always gives the same commit. */

import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { git as limits } from '../../limits/limits.ts';
import type { GitStore, RefOutcome, Sha, Signature, TreeEntry } from './git-store.ts';

export type TreeImport = {
  readonly directory: string;
  readonly ref?: string;
  readonly message?: string;
  readonly author?: Signature;
  /** Selects relative paths (with `/`) to skip; a folder is skipped with its contents. `.git` is always skipped. */
  readonly skip?: (path: string) => boolean;
};

/**
 * A commit without parents with the folder's files, executable bits and symbolic links, on a ref that must not exist
 * yet. Its id depends only on the content, message and author; author and time are fixed by default.
 */
export async function importTree(
  store: GitStore,
  { directory, ref = 'refs/heads/main', message = 'Start\n', author = founder, skip = () => false }: TreeImport,
): Promise<{ readonly outcome: RefOutcome; readonly sha: Sha }> {
  const count = { files: 0 };
  const tree = (await importFolder(store, { directory, skip, count }, '')) ?? (await store.writeTree([]));
  const sha = await store.writeCommit({ tree, parents: [], author, committer: author, message });
  return { outcome: await store.updateRef({ ref, sha, expected: null }), sha };
}

/** 2026-01-01T00:00:00Z, earlier than any time on a playground's clock. */
const founder: Signature = { name: 'Lab', email: 'lab@example.org', atMs: 1_767_225_600_000 };

type Source = {
  readonly directory: string;
  readonly skip: (path: string) => boolean;
  readonly count: { files: number };
};

/** The folder's tree; null when it contains no file, because git stores no empty folders. */
async function importFolder(store: GitStore, source: Source, folder: string): Promise<Sha | null> {
  const entries: TreeEntry[] = [];
  for (const name of (await readdir(join(source.directory, folder))).sort()) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (name === '.git' || source.skip(path)) continue;
    const entry = await importEntry(store, source, path);
    if (entry !== null) entries.push({ ...entry, name });
  }
  return entries.length === 0 ? null : store.writeTree(entries);
}

async function importEntry(store: GitStore, source: Source, path: string): Promise<Omit<TreeEntry, 'name'> | null> {
  const place = join(source.directory, path);
  const stats = await lstat(place);
  if (stats.isDirectory()) {
    const sha = await importFolder(store, source, path);
    return sha === null ? null : { mode: '040000', type: 'tree', sha };
  }
  source.count.files += 1;
  if (source.count.files > limits.importedFiles)
    throw new Error(`${source.directory} has more than ${limits.importedFiles} files`);
  if (stats.isSymbolicLink())
    return { mode: '120000', type: 'blob', sha: await store.writeBlob(Buffer.from(await readlink(place))) };
  if (!stats.isFile()) throw new Error(`neither a file, a folder nor a link: ${place}`);
  const mode = (stats.mode & 0o100) === 0 ? '100644' : '100755';
  return { mode, type: 'blob', sha: await store.writeBlob(await readFile(place)) };
}
