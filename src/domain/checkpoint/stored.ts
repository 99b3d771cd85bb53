/** Checkpoints in a store: folders below a root, the metadata file that marks one as complete, and deletion. */

import type { ActionStep } from '../actions/action.ts';
import type { Permit } from '../actions/capability.ts';
import { type IssuedOrder, listOrders, type RunState } from '../logbook/run-state.ts';
import type { Instant, Observed } from '../values.ts';

/** Written last by levanter (checkpoint.py); a checkpoint without it is incomplete. */
export const METADATA_FILE = 'metadata.json';

/** `gs://BUCKET/…`, `s3://BUCKET/…` or an absolute path, without a trailing slash. */
export type StorePath = string;

/** Whether the path is absolute on every machine and normalized. */
export function isStorePath(path: string): boolean {
  return /^(?:(?:gs|s3):\/\/[a-z0-9]|\/)/.test(path) && !hasUnsafeParts(path);
}

/** Whether a part is empty, `.` or `..`. */
export function hasUnsafeParts(path: StorePath): boolean {
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

export type SearchedRoot = { readonly root: StorePath; readonly found: Observed<readonly StoredCheckpoint[]> };

/** Identity of a partly deleted checkpoint: the metadata file is gone, other objects remain. */
export const REMAINS_IDENTITY = 'remains';

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
export type NewestLimit = { readonly most: number; readonly upTo: number };

export type CheckpointReader = {
  /** The root's direct subfolders, and the root itself if it is a checkpoint. Empty if the root does not exist. */
  readonly list: (root: StorePath) => Promise<Observed<readonly StoredCheckpoint[]>>;
  /** Like `list`, but reads metadata only for the `most` largest steps by name, to bound the requests. */
  readonly newest: (root: StorePath, wanted: NewestLimit) => Promise<Observed<readonly StoredCheckpoint[]>>;
  readonly measure: (path: StorePath) => Promise<Observed<CheckpointSize>>;
};

export type CheckpointStore = CheckpointReader & {
  /** Deletes the metadata file first, so that a partial deletion never passes as a complete checkpoint. */
  readonly remove: (path: StorePath, step: ActionStep, permit: Permit) => Promise<RemoveOutcome>;
};

/** The deletion that people consent to. `identity` binds it to the observed content (or is `REMAINS`). */
export function deletionStep(path: StorePath, identity: string): ActionStep & { kind: 'delete-checkpoint' } {
  return { kind: 'delete-checkpoint', command: ['delete-checkpoint', path, identity] };
}

/** The last path segment. */
export function lastPathPart(path: StorePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Parses `step-1200`; null for another name. */
export function namedStep(path: StorePath): number | null {
  const digits = /^step-(\d{1,15})$/.exec(lastPathPart(path))?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A bucket path is global; every other path exists only on its cluster. */
type OutputPlace = { readonly root: string; readonly cluster: string };
/** A run's output places. `common`: the lane's shared checkpoint roots, which belong to a run only if they are its output root. */
export type OutputRoots = {
  readonly roots: readonly string[];
  readonly cluster: string;
  readonly shared: readonly string[];
};
/** `root`: the other run's place; `mine`: the requested place that overlaps it. */
export type RootHolder = { readonly run: string; readonly root: string; readonly requested: string };

/** Another run with an output place that overlaps the given roots, or null. `lineage`: runs that may share places. */
export function findRootHolder(
  runs: readonly RunState[],
  { roots, cluster, shared }: OutputRoots,
  { run, lineage }: { readonly run: string; readonly lineage: (state: RunState) => boolean },
): RootHolder | null {
  for (const state of runs) {
    if (state.run === run || lineage(state)) continue;
    for (const theirs of listOutputPlaces(state, shared)) {
      const mine = roots.find((root) => overlaps({ root, cluster }, theirs));
      if (mine !== undefined) return { run: state.run, root: theirs.root, requested: mine };
    }
  }
  return null;
}

/** Output roots and checkpoint roots of every attempt that may have started. */
function listOutputPlaces(state: RunState, common: readonly string[]): readonly OutputPlace[] {
  return listOrders(state)
    .filter(mayHaveStarted)
    .flatMap(({ manifest }) => {
      if (manifest === null) return [];
      const { outputRoot, resume, cluster } = manifest;
      const besides = (resume.roots ?? []).filter((root) => !common.includes(root));
      return [outputRoot, ...besides].map((root) => ({ root, cluster }));
    });
}

function mayHaveStarted({ status, claim }: IssuedOrder): boolean {
  return status === 'open' || claim !== null;
}

function overlaps(a: OutputPlace, b: OutputPlace): boolean {
  const [one, other] = [pathParts(a.root), pathParts(b.root)];
  const isEverywhere = isBucketPath(a.root) && isBucketPath(b.root);
  if (!isEverywhere && a.cluster !== b.cluster) return false;
  const shorter = Math.min(one.length, other.length);
  return one.slice(0, shorter).every((part, index) => part === other[index]);
}

/** Buckets are global; folders belong to one cluster. */
function isBucketPath(root: string): boolean {
  return urlScheme(root) !== null;
}

/** fsspec's schemes for local files. */
const OF_FOLDERS: ReadonlySet<string> = new Set(['file', 'local']);

/** Aliases of schemes in common libraries (fsspec, Hadoop). */
const ALIASES: Readonly<Record<string, string>> = { gcs: 'gs', s3a: 's3', s3n: 's3' };

/** fsspec: the last part of `simplecache::gs://lab/a` is the location, and `file:/a` is a folder. */
function lastPart(root: string): string {
  const last = root.split('::').at(-1) ?? root;
  return last.replace(/^(?:file|local):(?!\/\/)/i, '');
}

/** Canonical scheme; null for a folder. */
function urlScheme(root: string): string | null {
  const written = /^([a-z][a-z0-9+.-]*):\/\//i.exec(lastPart(root))?.[1]?.toLowerCase() ?? 'file';
  return OF_FOLDERS.has(written) ? null : (ALIASES[written] ?? written);
}

/** Normalizes `./`, repeated slashes and `..`. */
function pathParts(root: string): readonly string[] {
  const parts: string[] = [];
  const scheme = urlScheme(root);
  const plain = lastPart(root).replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  if (scheme !== null) parts.push(`${scheme}:`, '');
  else if (plain.startsWith('/')) parts.push('');
  for (const part of plain.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '' && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}
