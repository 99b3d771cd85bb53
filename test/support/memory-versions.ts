/**
 * Versions of append-only files in a history in memory, and the tags that mark it, as the git program reports
 * them.
 */

import type { GitStore } from '../../packages/playground/git/store/git-store.ts';
import { entryAt } from '../../packages/playground/git/store/git-trees.ts';
import type { FileVersion, GitReader, TagText } from '../../src/domain/git.ts';
import { brandAs, isSha, isTreeId, type TreeId } from '../../src/domain/values.ts';
import { MARK_BYTES_MAX, matchPrefixes } from '../../src/host/git/read.ts';
import { textBlobId } from '../../src/host/git/tree-on-disk.ts';

type VersionReader = Pick<GitReader, 'tagTexts' | 'versions' | 'readBlobs' | 'beginningsOf' | 'blobIdOf'>;

/** The version methods of a `GitReader` for a store that may be replaced. */
export function memoryVersions(store: () => GitStore): VersionReader {
  // A tag's id always has the same text.
  const texts = new Map<string, Omit<TagText, 'name'>>();
  return {
    tagTexts: async (prefixes) => {
      const found: TagText[] = [];
      for (const [ref, sha] of await store().refs('refs/tags/')) {
        const name = ref.slice('refs/tags/'.length);
        if (name.includes('/') || !prefixes.some((prefix) => name.startsWith(prefix))) continue;
        const text = texts.get(sha) ?? (await textOf(store(), sha));
        if (text === null) continue;
        texts.set(sha, text);
        if (text.message.length > MARK_BYTES_MAX) continue;
        found.push({ name, ...text });
      }
      return found;
    },
    versions: async ({ from, not, paths }) => {
      const found = new Map<string, FileVersion>();
      const commits = await store().log({ from, ...(not === null ? {} : { not }), limit: 1_000_000 });
      for (const { tree, parents } of commits) {
        const after = await filesUnder(store(), tree, paths);
        for (const parent of parents.length === 0 ? [null] : parents) {
          const commit = parent === null ? null : await store().readCommit(parent);
          const before = commit === null ? new Map<string, TreeId>() : await filesUnder(store(), commit.tree, paths);
          for (const [one, other] of [
            [before, after],
            [after, before],
          ] as const)
            for (const [path, blob] of one) if (other.get(path) !== blob) found.set(`${blob} ${path}`, { path, blob });
        }
      }
      return [...found.values()];
    },
    readBlobs: async (ids) => {
      const found = new Map<TreeId, string>();
      for (const id of ids) {
        const bytes = await store().readBlob(id);
        if (bytes !== null) found.set(id, Buffer.from(bytes).toString('utf8'));
      }
      return found;
    },
    beginningsOf: matchPrefixes,
    blobIdOf: textBlobId,
  };
}

async function textOf(store: GitStore, sha: string): Promise<Omit<TagText, 'name'> | null> {
  const tag = await store.readTag(sha);
  const commit = tag === null ? null : await store.readCommit(tag.object);
  if (tag === null || commit === null) return null;
  const parents = commit.parents.map((parent) => brandAs(parent, isSha));
  return { commit: brandAs(commit.sha, isSha), parents, message: tag.message };
}

async function filesUnder(
  store: GitStore,
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeId>> {
  const found = new Map<string, TreeId>();
  const walk = async (tree: string, prefix: string): Promise<void> => {
    for (const entry of (await store.readTree(tree)) ?? []) {
      if (entry.type === 'tree') await walk(entry.sha, `${prefix}${entry.name}/`);
      else found.set(`${prefix}${entry.name}`, brandAs(entry.sha, isTreeId));
    }
  };
  for (const path of paths) {
    const start = await entryAt(store, root, path);
    if (start?.type === 'tree') await walk(start.sha, `${path}/`);
    else if (start?.type === 'blob') found.set(path, brandAs(start.sha, isTreeId));
  }
  return found;
}
