/** Prevents two runs from sharing an output root, where each would overwrite and clean up the other's checkpoints. */

import { type IssuedOrder, ordersOf, type RunState } from '../logbook/run-state.ts';

/** A bucket path is global; any other path belongs to its cluster. */
type OutputPlace = { readonly root: string; readonly cluster: string };
/** A run's output places. `common`: the lane's shared checkpoint roots, which belong to a run only if they are its output root. */
export type OwnPlaces = {
  readonly roots: readonly string[];
  readonly cluster: string;
  readonly common: readonly string[];
};
/** `root`: the other run's place; `mine`: the requested place that overlaps it. */
export type RootHolder = { readonly run: string; readonly root: string; readonly mine: string };

/** A run that owns an overlapping place, or null. `lineage`: runs that may share their places. */
export function rootHolder(
  runs: readonly RunState[],
  { roots, cluster, common }: OwnPlaces,
  { run, lineage }: { readonly run: string; readonly lineage: (state: RunState) => boolean },
): RootHolder | null {
  for (const state of runs) {
    if (state.run === run || lineage(state)) continue;
    for (const theirs of placesOf(state, common)) {
      const mine = roots.find((root) => isShared({ root, cluster }, theirs));
      if (mine !== undefined) return { run: state.run, root: theirs.root, mine };
    }
  }
  return null;
}

/** Output roots and checkpoint roots of every attempt that may have started. */
function placesOf(state: RunState, common: readonly string[]): readonly OutputPlace[] {
  return ordersOf(state)
    .filter(mayHaveBegun)
    .flatMap(({ manifest }) => {
      if (manifest === null) return [];
      const { outputRoot, resume, cluster } = manifest;
      const besides = (resume.roots ?? []).filter((root) => !common.includes(root));
      return [outputRoot, ...besides].map((root) => ({ root, cluster }));
    });
}

function mayHaveBegun({ status, claim }: IssuedOrder): boolean {
  return status === 'open' || claim !== null;
}

function isShared(a: OutputPlace, b: OutputPlace): boolean {
  const [one, other] = [partsOf(a.root), partsOf(b.root)];
  const isEverywhere = isBucket(a.root) && isBucket(b.root);
  if (!isEverywhere && a.cluster !== b.cluster) return false;
  const shorter = Math.min(one.length, other.length);
  return one.slice(0, shorter).every((part, index) => part === other[index]);
}

/** Buckets are global; folders belong to one cluster. */
function isBucket(root: string): boolean {
  return schemeOf(root) !== null;
}

/** fsspec's schemes for local files. */
const OF_FOLDERS: ReadonlySet<string> = new Set(['file', 'local']);

/** Aliases of schemes in common libraries (fsspec, Hadoop). */
const ALIASES: Readonly<Record<string, string>> = { gcs: 'gs', s3a: 's3', s3n: 's3' };

/** fsspec: the last part of `simplecache::gs://lab/a` is the location, and `file:/a` is a folder. */
function lastOf(root: string): string {
  const last = root.split('::').at(-1) ?? root;
  return last.replace(/^(?:file|local):(?!\/\/)/i, '');
}

/** Canonical scheme; null for a folder. */
function schemeOf(root: string): string | null {
  const written = /^([a-z][a-z0-9+.-]*):\/\//i.exec(lastOf(root))?.[1]?.toLowerCase() ?? 'file';
  return OF_FOLDERS.has(written) ? null : (ALIASES[written] ?? written);
}

/** Normalizes `./`, repeated slashes and `..`. */
function partsOf(root: string): readonly string[] {
  const parts: string[] = [];
  const scheme = schemeOf(root);
  const plain = lastOf(root).replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  if (scheme !== null) parts.push(`${scheme}:`, '');
  else if (plain.startsWith('/')) parts.push('');
  for (const part of plain.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '' && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}
