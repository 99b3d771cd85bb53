/** The raw difference between two trees: paths with different content, before rename detection. */

import type { Sha, TreeEntry } from './git-store.ts';

export type FileSide = { readonly mode: TreeEntry['mode']; readonly sha: Sha };

/** Null on a side where the path is not a file. */
export type RawChange = { readonly path: string; readonly before: FileSide | null; readonly after: FileSide | null };

/** Changed files of every directory level, ordered by the bytes of their path; equal subtrees are not read. */
export function treeChanges(
  entriesOf: (tree: Sha) => readonly TreeEntry[],
  before: Sha,
  after: Sha,
): readonly RawChange[] {
  const changes: RawChange[] = [];
  collectChanges(entriesOf, '', before, after, changes);
  return changes.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

function collectChanges(
  entriesOf: (tree: Sha) => readonly TreeEntry[],
  folder: string,
  before: Sha | null,
  after: Sha | null,
  changes: RawChange[],
): void {
  if (before === after) return;
  const old = new Map((before === null ? [] : entriesOf(before)).map((entry) => [entry.name, entry]));
  const now = new Map((after === null ? [] : entriesOf(after)).map((entry) => [entry.name, entry]));
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    const one = old.get(name) ?? null;
    const other = now.get(name) ?? null;
    if (one?.sha === other?.sha && one?.mode === other?.mode) continue;
    const path = `${folder}${name}`;
    collectChanges(entriesOf, `${path}/`, subtreeOf(one), subtreeOf(other), changes);
    const [was, is] = [toFileSide(one), toFileSide(other)];
    if (was !== null || is !== null) changes.push({ path, before: was, after: is });
  }
}

function subtreeOf(entry: TreeEntry | null): Sha | null {
  return entry?.type === 'tree' ? entry.sha : null;
}

function toFileSide(entry: TreeEntry | null): FileSide | null {
  return entry === null || entry.type === 'tree' ? null : { mode: entry.mode, sha: entry.sha };
}
