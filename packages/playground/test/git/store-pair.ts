/** Both kinds of store for tests that run on each, and small helpers to write history. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GitStore, Sha, Signature, TreeEntry } from '../../git/store/git-store.ts';
import { createMemoryStore } from '../../git/store/memory-store.ts';
import { createProgramStore } from '../../git/store/program-store.ts';

export type StoreKind = 'memory' | 'program';

export const storeKinds = ['memory', 'program'] as const satisfies readonly StoreKind[];

/** Path to content; slashes create folders. Content as text, bytes, or an entry of another mode. */
export type Files = Readonly<Record<string, string | Uint8Array | Pick<TreeEntry, 'mode' | 'type' | 'sha'>>>;

/** A folder that is deleted at the end of its scope. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'playground-git-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export function openStore(kind: StoreKind, folder: string): GitStore {
  return kind === 'memory' ? createMemoryStore() : createProgramStore({ directory: join(folder, 'r.git') });
}

export function ada(atMs: number): Signature {
  return { name: 'Ada Lovelace', email: 'ada@example.org', atMs };
}

export async function writeFiles(store: GitStore, files: Files): Promise<Sha> {
  const entries: TreeEntry[] = [];
  const folders = new Map<string, Record<string, Files[string]>>();
  for (const [path, content] of Object.entries(files)) {
    const slash = path.indexOf('/');
    if (slash >= 0) {
      const name = path.slice(0, slash);
      folders.set(name, { ...folders.get(name), [path.slice(slash + 1)]: content });
    } else if (typeof content === 'string' || content instanceof Uint8Array) {
      const sha = await store.writeBlob(Buffer.from(content));
      entries.push({ mode: '100644', type: 'blob', name: path, sha });
    } else entries.push({ ...content, name: path });
  }
  for (const [name, inner] of folders)
    entries.push({ mode: '040000', type: 'tree', name, sha: await writeFiles(store, inner) });
  return store.writeTree(entries);
}

export async function writeCommit(
  store: GitStore,
  files: Files,
  parents: readonly Sha[] = [],
  atSeconds = 1_760_000_000,
): Promise<Sha> {
  const who = ada(atSeconds * 1000);
  const tree = await writeFiles(store, files);
  return store.writeCommit({ tree, parents, author: who, committer: who, message: `at ${atSeconds}\n` });
}
