/** Checkpoints as a store has them: folders below a root, the file that says that one is complete, and the one way to delete one. */

import type { Permit } from '../actions/capability.ts';
import type { ActionStep } from '../actions/step.ts';
import type { Instant } from '../ids.ts';
import type { Observed } from '../observed.ts';

/** The file that a writer puts into a checkpoint last (levanter, checkpoint.py): without it nothing there is whole. */
export const METADATA_FILE = 'metadata.json';

/** `gs://BUCKET/…`, `s3://BUCKET/…` or an absolute path, without a slash at the end. */
export type StorePath = string;

/** Whether a path names one place for every machine, and nothing else: no part of it is relative or empty. */
export function isStorePath(path: string): boolean {
  return /^(?:(?:gs|s3):\/\/[a-z0-9]|\/)/.test(path) && !hasOddParts(path);
}

/** A path that means another one in a file system, or none in a bucket. */
export function hasOddParts(path: StorePath): boolean {
  const parts = path
    .replace(/^[a-z0-9]+:\/\//, '')
    .replace(/^\/|\/$/g, '')
    .split('/');
  return parts.some((part) => part === '' || part === '.' || part === '..');
}

export type StoredMetadata = {
  readonly text: string;
  /** When the store got it, by the store's own clock: what the file says of itself is in the writer's local time. */
  readonly writtenAt: Instant;
  /** What the store calls this very content at this place: written anew, it is another. */
  readonly identity: string;
};

export type StoredCheckpoint = {
  readonly path: StorePath;
  readonly root: StorePath;
  /** `known(null)`: the folder is there and the file is not. Unknown where it could not be read: that is not *absent*. */
  readonly metadata: Observed<StoredMetadata | null>;
};

/** One root, and what lies there. */
export type SearchedRoot = {
  readonly root: StorePath;
  readonly found: Observed<readonly StoredCheckpoint[]>;
};

/** What a deletion that broke off leaves: the file that says *complete* is gone, and the rest is not. */
export const REMAINS = 'remains';

/** Everything below one checkpoint. */
export type CheckpointSize = { readonly objects: number; readonly bytes: number };

/** What a store said: everything below the roots of a run, and how large what could go is. */
export type FoundCheckpoints = {
  readonly roots: readonly SearchedRoot[];
  readonly sizes: ReadonlyMap<StorePath, Observed<CheckpointSize>>;
};

/** `gone`: looked for afterwards, and nothing of it is left. `failed`: nothing was called. */
export type RemoveOutcome =
  | { readonly kind: 'gone'; readonly removed: CheckpointSize }
  | { readonly kind: 'left' | 'failed' | 'unknown'; readonly why: string };

/** The newest so many, by the step that their names say, up to that step: what lies beyond it is of another line of training. */
export type NewestWanted = { readonly most: number; readonly upTo: number };

/** A store as everybody sees it who deletes nothing. */
export type CheckpointReader = {
  /** Folders directly below the root, and the root itself where it is one. A root that nobody has written to has none. */
  readonly list: (root: StorePath) => Promise<Observed<readonly StoredCheckpoint[]>>;
  /** The same, of the largest steps by their names alone: the pages of one listing and `most` small files, however many lie there. */
  readonly newest: (root: StorePath, wanted: NewestWanted) => Promise<Observed<readonly StoredCheckpoint[]>>;
  readonly measure: (path: StorePath) => Promise<Observed<CheckpointSize>>;
};

export type CheckpointStore = CheckpointReader & {
  /** The one way to delete: the file that says *complete* first, so that half of it is never taken for a whole. */
  readonly remove: (path: StorePath, step: ActionStep, permit: Permit) => Promise<RemoveOutcome>;
};

/** The deletion of one checkpoint that was seen with this content (or as `REMAINS`), as it is shown to people and consented to. */
export function deletionStep(path: StorePath, identity: string): ActionStep & { does: 'delete-checkpoint' } {
  return { does: 'delete-checkpoint', command: ['delete-checkpoint', path, identity] };
}

/** The last part of a path. */
export function folderName(path: StorePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The step that a folder's name says, `step-1200`; null where it says none. */
export function namedStep(path: StorePath): number | null {
  const digits = /^step-(\d{1,15})$/.exec(folderName(path))?.[1];
  return digits === undefined ? null : Number(digits);
}
