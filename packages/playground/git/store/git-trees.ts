/** Paths in git's trees: find one, list all, and create a tree with changed paths. */

import type { GitStore, Sha, TreeEntry } from './git-store.ts';

export type PathEntry = TreeEntry & { readonly path: string };

/** The new entry of a path; null = deleted. */
export type PathChange = { readonly mode: TreeEntry['mode']; readonly sha: Sha } | null;

/** The entry at a path (`''` = the tree itself), or null. */
export async function entryAt(store: GitStore, tree: Sha, path: string): Promise<PathEntry | null> {
  let here: PathEntry = { mode: '040000', type: 'tree', name: '', sha: tree, path: '' };
  for (const name of path.split('/').filter((part) => part !== '')) {
    if (here.type !== 'tree') return null;
    const entries = await store.readTree(here.sha);
    const next = entries?.find((entry) => entry.name === name);
    if (next === undefined) return null;
    here = { ...next, path: here.path === '' ? name : `${here.path}/${name}` };
  }
  return here;
}

/** Entries of one level, or of all levels (directories before their entries), at most `limit`. */
export async function listTree(
  store: GitStore,
  tree: Sha,
  options: { readonly recursive: boolean; readonly limit: number },
): Promise<{ readonly entries: readonly PathEntry[]; readonly truncated: boolean } | null> {
  const entries: PathEntry[] = [];
  const walk = async (sha: Sha, prefix: string): Promise<boolean> => {
    const level = await store.readTree(sha);
    if (level === null) return false;
    for (const entry of level) {
      if (entries.length >= options.limit) return true;
      const path = `${prefix}${entry.name}`;
      entries.push({ ...entry, path });
      if (options.recursive && entry.type === 'tree') await walk(entry.sha, `${path}/`);
    }
    return true;
  };
  const found = await walk(tree, '');
  return found ? { entries, truncated: entries.length >= options.limit } : null;
}

/** The tree `base` with the paths changed; directories that become empty are removed, as in git. */
export async function changeTree(
  store: GitStore,
  base: Sha | null,
  changes: ReadonlyMap<string, PathChange>,
): Promise<Sha> {
  const entries = new Map<string, TreeEntry>();
  for (const entry of base === null ? [] : ((await store.readTree(base)) ?? [])) entries.set(entry.name, entry);
  const below = new Map<string, Map<string, PathChange>>();
  for (const [path, change] of changes) {
    const cut = path.indexOf('/');
    if (cut < 0) {
      if (change === null) entries.delete(path);
      else entries.set(path, { name: path, mode: change.mode, type: entryType(change.mode), sha: change.sha });
      continue;
    }
    const name = path.slice(0, cut);
    const inner = below.get(name) ?? new Map<string, PathChange>();
    inner.set(path.slice(cut + 1), change);
    below.set(name, inner);
  }
  for (const [name, inner] of below) {
    const known = entries.get(name);
    const sha = await changeTree(store, known?.type === 'tree' ? known.sha : null, inner);
    const left = await store.readTree(sha);
    if (left === null || left.length === 0) entries.delete(name);
    else entries.set(name, { name, mode: '040000', type: 'tree', sha });
  }
  return store.writeTree([...entries.values()]);
}

function entryType(mode: TreeEntry['mode']): TreeEntry['type'] {
  if (mode === '040000') return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}
