/**
 * The playground's interface to git, implemented by real bare repositories (the git program) or by objects in memory.
 * Both use real SHA-1 object ids, so a test can switch between them without changed expectations.
 */

export type Sha = string;

/** Author or committer of a commit or tag; `atMs` in milliseconds, written to git in whole seconds UTC. */
export type Signature = { readonly name: string; readonly email: string; readonly atMs: number };

export type CommitObject = {
  readonly sha: Sha;
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
};

export type TreeEntry = {
  readonly mode: '100644' | '100755' | '120000' | '040000' | '160000';
  readonly type: 'blob' | 'tree' | 'commit';
  readonly name: string;
  readonly sha: Sha;
};

export type TagObject = {
  readonly sha: Sha;
  readonly name: string;
  readonly object: Sha;
  readonly tagger: Signature;
  readonly message: string;
};

/**
 * One changed file between two trees, ordered by path. `patch` is the unified diff body as GitHub shows it: hunks with
 * three lines of context, no file header, no final newline; null where there are no hunks (binary, a pure rename, a
 * changed mode, an empty file). `blobSha` is the new blob, for a removed file the old one, null for a submodule.
 */
export type FileChange = {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: 'added' | 'modified' | 'removed' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
  readonly blobSha: Sha | null;
  readonly patch: string | null;
};

/**
 * `expected` is the compare-and-set: null = must not exist, a sha = must be exactly that, undefined = any value. Unless
 * `force`, an existing ref moves only to a descendant. `sha: null` deletes.
 */
export type RefUpdate = {
  readonly ref: string;
  readonly sha: Sha | null;
  readonly expected?: Sha | null;
  readonly force?: boolean;
};

/**
 * `stale`: the ref does not have the `expected` value, or there is nothing to delete. `missing-object`: no such object,
 * or a branch that would not point to a commit. `bad-name`: not a valid full name, or a folder of other refs.
 */
export type RefOutcome = 'updated' | 'not-fast-forward' | 'stale' | 'missing-object' | 'bad-name';

/**
 * One repository's objects and refs. Full ref names (`refs/heads/main`). Absent objects are null, never an exception.
 * Writing an object that points to an absent one throws, because it is a bug of the caller, and so does a diff of
 * absent objects.
 */
export type GitStore = {
  /** Refs whose full name starts with `prefix` (all of them without it), sorted by name. */
  readonly refs: (prefix?: string) => Promise<ReadonlyMap<string, Sha>>;
  readonly updateRef: (update: RefUpdate) => Promise<RefOutcome>;
  readonly writeBlob: (content: Uint8Array) => Promise<Sha>;
  /** Entries of one directory level; `path` entries with slashes are not allowed here. */
  readonly writeTree: (entries: readonly TreeEntry[]) => Promise<Sha>;
  readonly writeCommit: (commit: Omit<CommitObject, 'sha'>) => Promise<Sha>;
  readonly writeTag: (tag: Omit<TagObject, 'sha'>) => Promise<Sha>;
  readonly readBlob: (sha: Sha) => Promise<Uint8Array | null>;
  /** Sizes of blobs in bytes, by id; one call for a whole directory. Absent objects and non-blobs are omitted. */
  readonly blobSizes: (shas: readonly Sha[]) => Promise<ReadonlyMap<Sha, number>>;
  readonly readTree: (sha: Sha) => Promise<readonly TreeEntry[] | null>;
  readonly readCommit: (sha: Sha) => Promise<CommitObject | null>;
  readonly readTag: (sha: Sha) => Promise<TagObject | null>;
  /**
   * Commits reachable from `from` and not from `not`, newest first, at most `limit`; `paths` (literal, no patterns)
   * filters as `git log -- paths`. An absent `from` has no commits.
   */
  readonly log: (query: {
    readonly from: Sha;
    readonly not?: Sha;
    readonly paths?: readonly string[];
    readonly limit: number;
  }) => Promise<readonly CommitObject[]>;
  readonly mergeBase: (a: Sha, b: Sha) => Promise<Sha | null>;
  readonly isAncestor: (ancestor: Sha, descendant: Sha) => Promise<boolean>;
  /** Changes between the contents of two commits or trees. */
  readonly diff: (from: Sha, to: Sha) => Promise<readonly FileChange[]>;
};
