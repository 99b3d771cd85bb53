/** Git as the bot sees it: what it reads from a repository, and the few ways in which it writes to one. */

import type { Sha, TreeId } from './ids.ts';

/** What lies directly in a folder, by its path from the repository's root. */
export type FolderEntry = {
  readonly path: string;
  readonly type: 'blob' | 'tree';
  readonly id: TreeId;
  /** A symbolic link: its text is where it points to. */
  readonly isLink?: true;
  readonly isExecutable?: true;
};

/** One commit of a log, newest first in a list. Time is the committer's, in Unix milliseconds. */
export type LoggedCommit = {
  readonly sha: Sha;
  readonly subject: string;
  readonly authorName: string;
  readonly atMs: number;
};

/** Commits reachable from `from` and not from `not`; empty `paths` means all; at most `limit`, newest first. */
export type LogQuery = {
  readonly from: Sha;
  readonly not: Sha | null;
  readonly sinceMs: number | null;
  readonly paths: readonly string[];
  /** Patterns, as in a .gitignore at the root: a commit that touches nothing but what they name is not told. */
  readonly leavesOut?: readonly string[];
  readonly limit: number;
};

/** An annotated tag as it stands: `commit` is what it points to, with that commit's parents. */
export type TagText = {
  /** Without `refs/tags/`. */
  readonly name: string;
  readonly commit: Sha;
  readonly parents: readonly Sha[];
  readonly message: string;
};

/** One version that a file had somewhere in a history: the path, and the id of its content. */
export type FileVersion = { readonly path: string; readonly blob: TreeId };

/** The versions that the commits reachable from `from` and not from `not` brought or replaced, of these files. */
export type VersionsQuery = {
  readonly from: Sha;
  readonly not: Sha | null;
  /** From the repository's root. */
  readonly paths: readonly string[];
};

/**
 * Reading. Every method throws `GitError` when the answer cannot be had (remote away, object gone):
 * that is *unknown*, and never the same as null, which is a positive *not there*.
 */
export type GitReader = {
  /** Refreshes every ref from the remote. */
  fetch(): Promise<void>;
  /** The object that a full ref name pointed to at the last fetch or push; a tag is peeled to its commit. */
  resolve(ref: string): Promise<Sha | null>;
  /** Null when the commit has no file there. */
  readText(commit: Sha, path: string): Promise<string | null>;
  /** Paths from the repository's root of all files under `folder` ('' for the root), sorted. */
  listFiles(commit: Sha, folder: string): Promise<readonly string[]>;
  /** What lies directly in each of these folders, in one question; a folder that is not there holds nothing. */
  entriesIn(commit: Sha, folders: readonly string[]): Promise<readonly FolderEntry[]>;
  /**
   * Id of the tree or blob at `path` ('' for the root); null when there is none. `.` is the root without the files that
   * are left out: the id that git would give a commit in which they were removed.
   */
  treeId(commit: Sha, path: string, isLeftOut?: (path: string) => boolean): Promise<TreeId | null>;
  log(query: LogQuery): Promise<readonly LoggedCommit[]>;
  /** Null when the two have no common history. */
  mergeBase(a: Sha, b: Sha): Promise<Sha | null>;
  /**
   * Whether a branch had the commit in its history at the last fetch. That git can read a commit says less: it asks the
   * remote for what it lacks, and a remote may have commits of forks, or of nobody.
   */
  isOnBranch(commit: Sha): Promise<boolean>;
  /** Paths that differ between two commits, renames as two paths, sorted. */
  changedPaths(from: Sha, to: Sha): Promise<readonly string[]>;
  /**
   * Annotated tags of commits whose name is `prefix` and something without a slash, each with a short message: whoever
   * may push a tag may also push one of a gigabyte, which is left out. In no order.
   */
  tagTexts(prefix: string): Promise<readonly TagText[]>;
  /** Each version once, on every side of every merge, by ids alone: no content is read for it. */
  versions(query: VersionsQuery): Promise<readonly FileVersion[]>;
  /** Contents by id; what is larger than any file here is left out, what is no UTF-8 is replaced, so the text need not be the content's. */
  readBlobs(ids: readonly TreeId[]): Promise<ReadonlyMap<TreeId, string>>;
  /**
   * Those of `ids` that are the contents of `text` cut behind one of its newlines. Bounded: what is far from the end is
   * not looked for, so that a missing id says nothing.
   */
  beginningsOf(text: string, ids: ReadonlySet<TreeId>): ReadonlySet<TreeId>;
  /** The id that git gives a file with this text: computed, nothing is asked for it. */
  blobIdOf(text: string): TreeId;
};

/** One commit on one branch. `files`: path → new text, null deletes. */
export type CommitRequest = {
  /** Full ref name, e.g. `refs/heads/ferrybot/logbook`. */
  readonly ref: string;
  /** What the remote's ref must still be; null: it must not exist. */
  readonly expected: Sha | null;
  /** `expected`: on top of it (without a parent when it is null); else on top of this commit. */
  readonly parent: 'expected' | Sha;
  /** Further parents: what they have in their history is in this one's. */
  readonly merges?: readonly Sha[];
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly atMs: number;
  /** Annotated tags of the new commit, none of which may exist: pushed with it, or nothing is. */
  readonly tags?: readonly { readonly name: string; readonly message: string }[];
};

/**
 * `rejected`: the ref was no longer as expected, so somebody else won: read again and decide again.
 * `refused`: the ref was as expected and the remote said no (a rule, a missing permission, a full disk, a ref in its place's folder).
 * `unknown`: the answer was lost and looking did not tell: read again before anything else.
 */
export type PushOutcome =
  | { readonly kind: 'pushed'; readonly sha: Sha }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** An annotated tag; `name` without `refs/tags/`. */
export type TagRequest = {
  readonly name: string;
  readonly commit: Sha;
  readonly message: string;
  readonly atMs: number;
};

/** `exists`: a tag of that name is there already and points (peeled) to `commit`; it is never moved. */
export type TagOutcome = PushOutcome | { readonly kind: 'exists'; readonly commit: Sha };

/** Writing: git's own compare-and-set decides who wins. Throws `GitError` only when nothing was sent. */
export type GitWriter = {
  commitAndPush(request: CommitRequest): Promise<PushOutcome>;
  pushTag(request: TagRequest): Promise<TagOutcome>;
};

/** One file of an exported tree, as it was read back from the disk. */
export type ExportedFile = {
  /** From the root of the export, with `/`. */
  readonly path: string;
  /** Git's mode: a file, an executable file, a symbolic link. */
  readonly mode: '100644' | '100755' | '120000';
  /** Git's id of the bytes that lie there; of a link, of where it points to. */
  readonly blob: string;
  readonly bytes: number;
  /** Where a link points to; null for a file. */
  readonly target: string | null;
};

/** What lies in an export's folder, read back after it was written: every file, and nothing else is there. */
export type ExportedTree = {
  /** Sorted by path. */
  readonly files: readonly ExportedFile[];
  /** Folders that stand for a commit of another repository: none of its files lies there. */
  readonly submodules: readonly string[];
  /** Git's id of each path that was asked for (`.`: the root), computed from what lies there. */
  readonly ids: Readonly<Record<string, string>>;
};

/** Shipping: files of a commit as they are, in a folder of their own, without any git in it. */
export type GitExporter = {
  /**
   * Writes `paths` of `commit` (`.`: all of it) into `directory`, which must be empty or missing, and reads back what lies
   * there. Throws `GitError` when an object cannot be had, or anything there is not byte for byte what the commit has.
   */
  exportTree(commit: Sha, paths: readonly string[], directory: string): Promise<ExportedTree>;
};

/** `unreachable`: the remote did not answer; `unreadable`: an object cannot be read; `failed`: git said no. */
export type GitErrorCode = 'unreachable' | 'unreadable' | 'failed';

/** Git could not give an answer; the message is git's own, without secrets. */
export class GitError extends Error {
  readonly code: GitErrorCode;

  constructor(code: GitErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GitError';
    this.code = code;
  }
}
