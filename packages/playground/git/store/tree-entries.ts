/** Validates the entries of a directory level and sorts them in git's order. */

import type { TreeEntry } from './git-store.ts';

/**
 * The entries in git's order: by bytes, a directory as if its name ended with a slash. Throws on a name that git would
 * not check out (empty, a path, `.`, `..`, `.git`), on a duplicate name, and on a mode that contradicts its type.
 */
export function orderedTreeEntries(entries: readonly TreeEntry[]): readonly TreeEntry[] {
  const names = new Set<string>();
  for (const { name, mode, type } of entries) {
    if (!isEntryName(name)) throw new Error(`not a tree entry's name: ${JSON.stringify(name)}`);
    if (names.has(name)) throw new Error(`tree entry twice: ${name}`);
    if (typeOfMode[mode] !== type) throw new Error(`tree entry ${name}: mode ${mode} is no ${type}`);
    names.add(name);
  }
  return entries
    .map((entry) => ({ entry, key: Buffer.from(entry.type === 'tree' ? `${entry.name}/` : entry.name) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ entry }) => entry);
}

const typeOfMode = {
  '100644': 'blob',
  '100755': 'blob',
  '120000': 'blob',
  '040000': 'tree',
  '160000': 'commit',
} as const satisfies Record<TreeEntry['mode'], TreeEntry['type']>;

function isEntryName(name: string): boolean {
  return !/[/\0]/.test(name) && !['', '.', '..'].includes(name) && name.toLowerCase() !== '.git';
}
