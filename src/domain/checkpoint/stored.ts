/** Checkpoints in a store: folders below a root, the metadata file that marks one as complete, and deletion. */

import type { ActionStep } from '../actions/action.ts';
import type { Permit } from '../actions/capability.ts';
import type { Instant, Observed } from '../values.ts';

/** Written last by levanter (checkpoint.py); a checkpoint without it is incomplete. */
export const METADATA_FILE = 'metadata.json';

/** `gs://BUCKET/…`, `s3://BUCKET/…` or an absolute path, without a trailing slash. */
export type StorePath = string;

/** Whether the path is absolute on every machine and normalized. */
export function isStorePath(path: string): boolean {
  return /^(?:(?:gs|s3):\/\/[a-z0-9]|\/)/.test(path) && !hasOddParts(path);
}

/** Whether a part is empty, `.` or `..`. */
export function hasOddParts(path: StorePath): boolean {
  const parts = path
    .replace(/^[a-z0-9]+:\/\//, '')
    .replace(/^\/|\/$/g, '')
    .split('/');
  return parts.some((part) => part === '' || part === '.' || part === '..');
}

export type StoredMetadata = {
  readonly text: string;
  /** The store's own time: the time in the file is the writer's local time. */
  readonly writtenAt: Instant;
  /** The store's version id of this content; a rewrite changes it. */
  readonly identity: string;
};

export type StoredCheckpoint = {
  readonly path: StorePath;
  readonly root: StorePath;
  /** `known(null)`: the folder has no metadata file. Unknown if it could not be read. */
  readonly metadata: Observed<StoredMetadata | null>;
};

export type SearchedRoot = {
  readonly root: StorePath;
  readonly found: Observed<readonly StoredCheckpoint[]>;
};

/** Identity of a partly deleted checkpoint: the metadata file is gone, other objects remain. */
export const REMAINS = 'remains';

export type CheckpointSize = { readonly objects: number; readonly bytes: number };

/** Search result for a run's roots, and the sizes of the checkpoints that could be deleted. */
export type FoundCheckpoints = {
  readonly roots: readonly SearchedRoot[];
  readonly sizes: ReadonlyMap<StorePath, Observed<CheckpointSize>>;
};

/** `gone`: verified by a new listing. `failed`: nothing was called. */
export type RemoveOutcome =
  | { readonly kind: 'gone'; readonly removed: CheckpointSize }
  | { readonly kind: 'left' | 'failed' | 'unknown'; readonly why: string };

/** The newest `most` checkpoints by the step in their names, ignoring steps above `upTo`, which belong to another line of training. */
export type NewestWanted = { readonly most: number; readonly upTo: number };

export type CheckpointReader = {
  /** The root's direct subfolders, and the root itself if it is a checkpoint. Empty if the root does not exist. */
  readonly list: (root: StorePath) => Promise<Observed<readonly StoredCheckpoint[]>>;
  /** Like `list`, but reads metadata only for the `most` largest steps by name, to bound the requests. */
  readonly newest: (root: StorePath, wanted: NewestWanted) => Promise<Observed<readonly StoredCheckpoint[]>>;
  readonly measure: (path: StorePath) => Promise<Observed<CheckpointSize>>;
};

export type CheckpointStore = CheckpointReader & {
  /** Deletes the metadata file first, so that a partial deletion never passes as a complete checkpoint. */
  readonly remove: (path: StorePath, step: ActionStep, permit: Permit) => Promise<RemoveOutcome>;
};

/** The deletion that people consent to, bound to the observed content (or `REMAINS`). */
export function deletionStep(path: StorePath, identity: string): ActionStep & { does: 'delete-checkpoint' } {
  return { does: 'delete-checkpoint', command: ['delete-checkpoint', path, identity] };
}

/** The last path segment. */
export function folderName(path: StorePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Parses `step-1200`; null for another name. */
export function namedStep(path: StorePath): number | null {
  const digits = /^step-(\d{1,15})$/.exec(folderName(path))?.[1];
  return digits === undefined ? null : Number(digits);
}
