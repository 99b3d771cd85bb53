/** A git repository in memory with real object ids, for tests that run a thousand ferries in seconds. */

import type { GitStore, RefOutcome, RefUpdate, Sha, TagObject, TreeEntry } from './git-store.ts';
import { type CommitRecord, findMergeBase, isAncestorOf } from './memory-ancestry.ts';
import { memoryDiff } from './memory-diff.ts';
import { memoryLog } from './memory-log.ts';
import {
  emptyTreeSha,
  encodeCommit,
  encodeTag,
  encodeTree,
  type ObjectType,
  objectId,
  storedSignature,
} from './object-encoding.ts';
import { isRefName } from './ref-name.ts';
import { fastForwardBase, refuseRef } from './ref-rules.ts';
import { orderedTreeEntries } from './tree-entries.ts';

/** A memory store can be copied; the two copies are independent. */
export type MemoryStore = GitStore & { readonly clone: () => MemoryStore };

/** An empty repository. */
export function createMemoryStore(): MemoryStore {
  return createStoreOver({
    blobs: new Map(),
    trees: new Map([[emptyTreeSha, []]]),
    commits: new Map(),
    tags: new Map(),
    refs: new Map(),
  });
}

/**
 * A copy of a store's current state, for a test that starts many times from one history. Objects are shared, not
 * copied.
 */
export function cloneStore(store: MemoryStore): MemoryStore {
  return store.clone();
}

type Tables = {
  readonly blobs: Map<Sha, Uint8Array>;
  readonly trees: Map<Sha, readonly TreeEntry[]>;
  readonly commits: Map<Sha, CommitRecord>;
  readonly tags: Map<Sha, TagObject>;
  readonly refs: Map<string, Sha>;
};

function createStoreOver(tables: Tables): MemoryStore {
  const { blobs, trees, commits, tags, refs } = tables;
  // The refs by name; null until they are requested after a change.
  let ordered: readonly (readonly [string, Sha])[] | null = null;
  const commitOf = (sha: Sha): CommitRecord | undefined => commits.get(sha);
  const contents = {
    treeOf: (sha: Sha) => trees.get(sha) ?? throwMissing('tree', sha),
    blobOf: (sha: Sha) => blobs.get(sha) ?? throwMissing('blob', sha),
  };
  const rootOf = (sha: Sha): Sha => commits.get(sha)?.commit.tree ?? (trees.has(sha) ? sha : throwMissing('tree', sha));
  return {
    refs: async (prefix = '') => {
      ordered ??= [...refs].sort(([a], [b]) => compareBytes(a, b));
      return new Map(ordered.filter(([ref]) => ref.startsWith(prefix)));
    },
    updateRef: async (update) => {
      ordered = null;
      return updateRef(tables, update);
    },
    writeBlob: async (content) => {
      const sha = objectId('blob', content);
      if (!blobs.has(sha)) blobs.set(sha, Uint8Array.from(content));
      return sha;
    },
    writeTree: async (entries) => writeTree(tables, entries),
    writeCommit: async (commit) => writeCommit(tables, commit),
    writeTag: async (tag) => writeTag(tables, tag),
    readBlob: async (sha) => blobs.get(sha)?.slice() ?? null,
    blobSizes: async (shas) =>
      new Map(
        shas.flatMap((sha) => {
          const content = blobs.get(sha);
          return content === undefined ? [] : [[sha, content.length] as const];
        }),
      ),
    readTree: async (sha) => trees.get(sha) ?? null,
    readCommit: async (sha) => commits.get(sha)?.commit ?? null,
    readTag: async (sha) => tags.get(sha) ?? null,
    log: async (query) => {
      if (query.not !== undefined && !commits.has(query.not)) throwMissing('commit', query.not);
      return memoryLog(commitOf, (sha) => trees.get(sha), query);
    },
    mergeBase: async (a, b) => findMergeBase(commitOf, a, b),
    isAncestor: async (ancestor, descendant) => isAncestorOf(commitOf, ancestor, descendant),
    diff: async (from, to) => memoryDiff(contents, rootOf(from), rootOf(to)),
    clone: () =>
      createStoreOver({
        blobs: new Map(blobs),
        trees: new Map(trees),
        commits: new Map(commits),
        tags: new Map(tags),
        refs: new Map(refs),
      }),
  };
}

function writeTree(tables: Tables, entries: readonly TreeEntry[]): Sha {
  for (const { type, sha } of entries)
    if (type !== 'commit' && objectType(tables, sha) !== type) throwMissing(type, sha);
  const ordered = orderedTreeEntries(entries).map(({ mode, type, name, sha }) => ({ mode, type, name, sha }));
  const tree = objectId('tree', encodeTree(ordered));
  if (!tables.trees.has(tree)) tables.trees.set(tree, ordered);
  return tree;
}

function writeCommit({ commits, trees }: Tables, commit: Parameters<GitStore['writeCommit']>[0]): Sha {
  if (!trees.has(commit.tree)) throwMissing('tree', commit.tree);
  const parents = [...new Set(commit.parents)];
  const generations = parents.map((parent) => (commits.get(parent) ?? throwMissing('commit', parent)).generation);
  const sha = objectId('commit', encodeCommit(commit));
  if (!commits.has(sha)) {
    commits.set(sha, {
      generation: 1 + Math.max(0, ...generations),
      commit: {
        sha,
        tree: commit.tree,
        parents,
        author: storedSignature(commit.author),
        committer: storedSignature(commit.committer),
        message: commit.message,
      },
    });
  }
  return sha;
}

function writeTag(tables: Tables, tag: Parameters<GitStore['writeTag']>[0]): Sha {
  const type = objectType(tables, tag.object) ?? throwMissing('object', tag.object);
  if (!isRefName(`refs/tags/${tag.name}`)) throw new Error(`not a tag's name: ${tag.name}`);
  const sha = objectId('tag', encodeTag(tag, type));
  const { name, object, message } = tag;
  tables.tags.set(sha, { sha, name, object, tagger: storedSignature(tag.tagger), message });
  return sha;
}

function updateRef(tables: Tables, update: RefUpdate): RefOutcome {
  const { refs } = tables;
  const { ref, sha } = update;
  const refusal = refuseRef(update, { refs, type: sha === null ? null : objectType(tables, sha) });
  if (refusal !== null) return refusal;
  if (sha === null) {
    refs.delete(ref);
    return 'updated';
  }
  const base = fastForwardBase(update, refs.get(ref) ?? null);
  if (base !== null && !isFastForward(tables, base, sha)) return 'not-fast-forward';
  refs.set(ref, sha);
  return 'updated';
}

function isFastForward({ commits, tags }: Tables, from: Sha, to: Sha): boolean {
  const peel = (sha: Sha): Sha => {
    const tag = tags.get(sha);
    return tag === undefined ? sha : peel(tag.object);
  };
  return isAncestorOf((sha) => commits.get(sha), peel(from), peel(to));
}

function objectType({ blobs, trees, commits, tags }: Tables, sha: Sha): ObjectType | null {
  if (blobs.has(sha)) return 'blob';
  if (trees.has(sha)) return 'tree';
  if (commits.has(sha)) return 'commit';
  return tags.has(sha) ? 'tag' : null;
}

function throwMissing(what: string, sha: Sha): never {
  throw new Error(`no ${what} ${sha} in this repository`);
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
