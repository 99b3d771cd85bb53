/** The git operations that the bot uses. */

import { type Observed, type Sha, type TreeId, unknown } from './values.ts';

/** `path` is relative to the repository's root. */
export type FolderEntry = {
  readonly path: string;
  readonly type: 'blob' | 'tree';
  readonly id: TreeId;
  /** A symbolic link; its content is the target path. */
  readonly isLink?: true;
  readonly isExecutable?: true;
};

/** `atMs`: the committer's time, Unix ms. */
export type LoggedCommit = {
  readonly sha: Sha;
  readonly subject: string;
  readonly authorName: string;
  readonly atMs: number;
};

/** Commits reachable from `from` but not from `not`, newest first; empty `paths` means all. */
export type LogQuery = {
  readonly from: Sha;
  readonly not: Sha | null;
  readonly sinceMs: number | null;
  readonly paths: readonly string[];
  /** Patterns as in a root .gitignore: skip commits that touch only matching files. */
  readonly leavesOut?: readonly string[];
  readonly limit: number;
};

/** An annotated tag, with its commit's parents. */
export type TagText = {
  /** Without `refs/tags/`. */
  readonly name: string;
  readonly commit: Sha;
  readonly parents: readonly Sha[];
  readonly message: string;
};

export type FileVersion = { readonly path: string; readonly blob: TreeId };

/** The versions of `paths` in commits reachable from `from` but not from `not`. */
export type VersionsQuery = { readonly from: Sha; readonly not: Sha | null; readonly paths: readonly string[] };

/** What a process keeps current. All names are full ref names. */
export type FetchRequest = {
  /** Branches, with their whole history. */
  readonly branches?: readonly string[];
  readonly record?: {
    readonly branch: string;
    /** Beginnings of the names of its marks. */
    readonly marks: readonly string[];
    /** Whether to fetch the whole history at once. By default, older history is fetched when a question reaches it. */
    readonly isWhole?: true;
  };
};

/** Every method throws `GitError` if the answer is unavailable (remote down, object missing). Null means that the thing does not exist. */
export type GitReader = {
  /** Fetches what this and earlier requests name, and the refs that were resolved since the last fetch. */
  fetch(request?: FetchRequest): Promise<void>;
  /** The object of a full ref name at the last fetch or push; tags are peeled to their commit. Fetches a ref that no request names. */
  resolve(ref: string): Promise<Sha | null>;
  /** Null if the commit has no such file. */
  readText(commit: Sha, path: string): Promise<string | null>;
  /** All files under `folder` ('' for the root), sorted, relative to the repository's root. */
  listFiles(commit: Sha, folder: string): Promise<readonly string[]>;
  /** Direct entries of each folder; a missing folder is empty. */
  entriesIn(commit: Sha, folders: readonly string[]): Promise<readonly FolderEntry[]>;
  /**
   * Id of the tree or blob at `path` ('' for the root); null if missing. `.` is the root without the left-out
   * files: the id git would give the tree after removing them.
   */
  treeId(commit: Sha, path: string, isLeftOut?: (path: string) => boolean): Promise<TreeId | null>;
  log(query: LogQuery): Promise<readonly LoggedCommit[]>;
  /** Null if they have no common history. */
  mergeBase(a: Sha, b: Sha): Promise<Sha | null>;
  /**
   * Whether a branch contains the commit. A readable commit is not enough: git fetches missing objects, and the
   * remote also serves commits of forks.
   */
  isOnBranch(commit: Sha): Promise<boolean>;
  /** Sorted; a rename is two paths. */
  changedPaths(from: Sha, to: Sha): Promise<readonly string[]>;
  /** Annotated commit tags named like a prefix plus a part without a slash, unordered. Tags with huge messages are skipped. */
  tagTexts(prefixes: readonly string[]): Promise<readonly TagText[]>;
  /** Each version once, across all merge parents, by id only. */
  versions(query: VersionsQuery): Promise<readonly FileVersion[]>;
  /** Skips files above the size limit and replaces invalid UTF-8, so the text may differ from the content. */
  readBlobs(ids: readonly TreeId[]): Promise<ReadonlyMap<TreeId, string>>;
  /** The `ids` of blobs that equal `text` cut after one of its newlines. The search is bounded, so a missing id proves nothing. */
  beginningsOf(text: string, ids: ReadonlySet<TreeId>): ReadonlySet<TreeId>;
  /** Git's blob id for this text, computed locally. */
  blobIdOf(text: string): TreeId;
};

/** One commit on one branch. `files`: path → new text; null deletes. */
export type CommitRequest = {
  /** Full ref name, for example `refs/heads/ferrybot/logbook`. */
  readonly ref: string;
  /** Required current value of the remote ref; null: it must not exist. */
  readonly expected: Sha | null;
  /** The new commit's parent. `expected`: the commit in that field, or none (a root commit) if that field is null. */
  readonly parent: 'expected' | Sha;
  /** Additional merge parents. */
  readonly merges?: readonly Sha[];
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly atMs: number;
  /** Annotated tags of the new commit, pushed atomically with it; none may exist. */
  readonly tags?: readonly { readonly name: string; readonly message: string }[];
};

/**
 * `rejected`: the ref had changed; read and decide again. `refused`: the remote rejected an up-to-date push
 * (rule, permission, disk, conflicting ref). `unknown`: the answer was lost and reading did not resolve it.
 */
export type PushOutcome =
  | { readonly kind: 'pushed'; readonly sha: Sha }
  | { readonly kind: 'rejected'; readonly sha: Sha }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** `name` without `refs/tags/`. */
export type TagRequest = {
  readonly name: string;
  readonly commit: Sha;
  readonly message: string;
  readonly atMs: number;
};

/** `exists`: the tag already points (peeled) to `commit`; tags are never moved. */
export type TagOutcome = PushOutcome | { readonly kind: 'exists'; readonly commit: Sha };

/** The remote's compare-and-set resolves races. Throws `GitError` only if nothing was sent. */
export type GitWriter = {
  commitAndPush(request: CommitRequest): Promise<PushOutcome>;
  pushTag(request: TagRequest): Promise<TagOutcome>;
  /** Deletes these tags on the remote. Returns null, or the reason if a tag may remain. Names without `refs/tags/`. */
  deleteTags(names: readonly string[]): Promise<string | null>;
};

/** One exported file, as read back from disk. */
export type ExportedFile = {
  /** Relative to the export, with `/`. */
  readonly path: string;
  /** Git mode: file, executable, symbolic link. */
  readonly mode: '100644' | '100755' | '120000';
  /** Git's id of the bytes on disk; for a link, of its target. */
  readonly blob: string;
  readonly bytes: number;
  /** A link's target; null for a file. */
  readonly target: string | null;
};

/** The export's folder as read back: every file, and nothing else. */
export type ExportedTree = {
  readonly files: readonly ExportedFile[];
  /** Submodule folders; they are empty. */
  readonly submodules: readonly string[];
  /** Git's id of each requested path (`.`: the root), computed from disk. */
  readonly ids: Readonly<Record<string, string>>;
};

/** Exports a commit's files without git metadata. */
export type GitExporter = {
  /**
   * Writes `paths` of `commit` (`.`: all) into `directory`, which must be empty or missing, and reads them
   * back. Throws `GitError` if an object is missing or the result is not byte-identical.
   */
  exportTree(commit: Sha, paths: readonly string[], directory: string): Promise<ExportedTree>;
};

/** `unreachable`: no answer from the remote; `unreadable`: object not readable; `failed`: git reported an error. */
export type GitErrorCode = 'unreachable' | 'unreadable' | 'failed';

/** The message is git's own, without secrets. */
export class GitError extends Error {
  readonly code: GitErrorCode;

  constructor(code: GitErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GitError';
    this.code = code;
  }
}

/** Runs the read; a `GitError` makes its result unknown. */
export async function orUnknown<Value>(read: () => Promise<Observed<Value>>): Promise<Observed<Value>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GitError) return unknown(error.message);
    throw error;
  }
}
