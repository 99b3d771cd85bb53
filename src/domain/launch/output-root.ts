/** Whose an output root is: two runs that write into one place overwrite each other's checkpoints, and clean up each other's. */

import { isStorePath } from '../checkpoint/stored.ts';
import type { IssuedOrder, RunState } from '../logbook/run-state.ts';

/** Where a run writes: a store's path is one place for all, any other is one of its cluster. */
export type OutputPlace = { readonly root: string; readonly cluster: string };
export type RootHolder = { readonly run: string; readonly root: string };

/** Another run that was given this place, a part of it or one around it; null: none was. `lineage`: runs that may share theirs. */
export function rootHolder(
  runs: readonly RunState[],
  place: OutputPlace,
  { run, lineage }: { readonly run: string; readonly lineage: (state: RunState) => boolean },
): RootHolder | null {
  for (const state of runs) {
    if (state.run === run || lineage(state)) continue;
    const theirs = placesOf(state).find((one) => isShared(one, place));
    if (theirs !== undefined) return { run: state.run, root: theirs.root };
  }
  return null;
}

/** Of every attempt that a launcher may have begun. */
function placesOf({ attempts, order }: RunState): readonly OutputPlace[] {
  const orders = [...attempts.map((past) => past.order), ...(order === null ? [] : [order])];
  return orders
    .filter(mayHaveBegun)
    .flatMap(({ manifest }) =>
      manifest === null ? [] : [{ root: manifest.outputRoot, cluster: manifest.cluster }],
    );
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

/** A bucket is the same wherever it is asked for; a folder is one of its machines. */
function isBucket(root: string): boolean {
  return isStorePath(root) && root.includes('://');
}

/** With every part that is one for a file system: `./`, doubled slashes, and what `..` takes back. */
function partsOf(root: string): readonly string[] {
  const parts: string[] = [];
  const plain = root.replace(/^file:\/\//, '');
  if (plain.startsWith('/')) parts.push('');
  for (const part of plain.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '' && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}
