/** Whose an output root is: two runs that write into one place overwrite each other's checkpoints, and clean up each other's. */

import type { IssuedOrder, RunState } from '../logbook/run-state.ts';

/** Where a run writes: a store's path is one place for all, any other is one of its cluster. */
type OutputPlace = { readonly root: string; readonly cluster: string };
/** What a run would write to. `common`: where its lane has the checkpoints of all of its runs, which is nobody's own but of a run that has it as its output root. */
export type OwnPlaces = {
  readonly roots: readonly string[];
  readonly cluster: string;
  readonly common: readonly string[];
};
/** `root`: what that run was given; `mine`: which of the places asked for is in it, or around it. */
export type RootHolder = { readonly run: string; readonly root: string; readonly mine: string };

/** Another run that was given one of these places, a part of it or one around it; null: none was. `lineage`: runs that may share theirs. */
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

/** Of every attempt that a launcher may have begun: its output root, and where else its checkpoints lie. */
function placesOf({ attempts, order }: RunState, common: readonly string[]): readonly OutputPlace[] {
  const orders = [...attempts.map((past) => past.order), ...(order === null ? [] : [order])];
  return orders.filter(mayHaveBegun).flatMap(({ manifest }) => {
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

/** A bucket is the same wherever it is asked for, however its path is written; a folder is one of its machines. */
function isBucket(root: string): boolean {
  return schemeOf(root) !== null;
}

/** What fsspec calls the file system of its machine. */
const OF_FOLDERS: ReadonlySet<string> = new Set(['file', 'local']);

/** Other names of a store's scheme, which the libraries of jobs take for the same (fsspec, Hadoop). */
const ALIASES: Readonly<Record<string, string>> = { gcs: 'gs', s3a: 's3', s3n: 's3' };

/** `file:/a` is a folder too, and what is cached or packed in `simplecache::gs://lab/a` lies in the last of these (fsspec). */
function lastOf(root: string): string {
  const last = root.split('::').at(-1) ?? root;
  return last.replace(/^(?:file|local):(?!\/\/)/i, '');
}

/** As most write it; null for a folder. */
function schemeOf(root: string): string | null {
  const written = /^([a-z][a-z0-9+.-]*):\/\//i.exec(lastOf(root))?.[1]?.toLowerCase() ?? 'file';
  return OF_FOLDERS.has(written) ? null : (ALIASES[written] ?? written);
}

/** With every part that is one for a file system: `./`, doubled slashes, and what `..` takes back. */
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
