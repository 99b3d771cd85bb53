/** The files of the logbook branch as a head has them: what is as it was is not read again, and what goes on is verified from there. */

import type { GitReader } from '../domain/git.ts';
import type { Sha, TreeId } from '../domain/ids.ts';
import type { FileState } from '../logbook/rules.ts';
import { textOf } from '../logbook/segments.ts';
import type { LogbookStore } from '../logbook/store/git-store.ts';
import {
  NOT_STORED,
  type StoredFile,
  type StoredFolder,
  type StoredRun,
  storedRuns,
  textsOf,
} from '../logbook/store/stored-runs.ts';
import type { Lab } from './lab.ts';
import { type Checking, goodOf, type ReadFile, type RunPlace, type Verified } from './record-check.ts';

/** The files of Markdown by number: their contents are read when they change, and kept by nobody. */
export type Markdowns = ReadonlyMap<number, TreeId>;

/** One run's files as they were read and verified, or written by this process. */
export type Held = Verified & {
  readonly state: FileState;
  /** The folder that they were read from; null where this process wrote to it since. */
  readonly tree: TreeId | null;
  /** The contents of the files of events; null where it is not known. */
  readonly files: readonly (StoredFile | null)[];
  readonly markdown: Markdowns;
};

/** What reading needs; `held` is what is known. */
export type Reading = Checking & {
  readonly lab: Pick<Lab, 'hash' | 'verifySignature' | 'log'>;
  readonly store: LogbookStore;
  readonly held: ReadonlyMap<string, Held>;
};

/** Where these runs lie: as `verified` of them says, else in the first of its `folders` that is there. */
export async function placesOf(
  git: GitReader,
  head: Sha | null,
  names: Iterable<string>,
  known: {
    readonly verified: (run: string) => string | undefined;
    readonly folders: ReadonlyMap<string, readonly string[]>;
  },
): Promise<ReadonlyMap<string, StoredFolder>> {
  const places = new Map<string, StoredFolder>();
  for (const name of names) {
    const verified = known.verified(name);
    for (const folder of verified === undefined ? (known.folders.get(name) ?? []) : [verified]) {
      if (typeof places.get(name)?.tree === 'string') break;
      places.set(name, { folder, tree: head === null ? null : await git.treeId(head, folder) });
    }
  }
  return places;
}

/** What git has of the runs: listed where the folder is another than before, and what is not known by its id. */
export type Listing = {
  readonly stored: ReadonlyMap<string, StoredRun>;
  readonly texts: ReadonlyMap<StoredFile, string>;
};

/** Reads of these runs what is not known by its id: two questions, however many there are. */
export async function listRuns(
  { git, held }: Reading,
  head: Sha | null,
  places: ReadonlyMap<string, StoredFolder>,
): Promise<Listing> {
  const others = [...places].filter(([name, { tree }]) => tree === null || held.get(name)?.tree !== tree);
  const folders = others.map(([, { folder }]) => folder);
  const found = head === null ? new Map<string, StoredRun>() : await storedRuns(git, head, folders);
  const stored = new Map(others.map(([name, { folder }]) => [name, found.get(folder) ?? NOT_STORED]));
  const wanted = [...stored].flatMap(([name, { events }]) => events.slice(sameFiles(held.get(name), events)));
  return { stored, texts: await textsOf(git, wanted) };
}

/** A run as it stands, verified from where it was verified before. */
export function readRun(reading: Reading, place: RunPlace, { stored, texts }: Listing): ReadFile {
  const known = reading.held.get(place.run);
  const files = stored.get(place.run)?.events;
  if (files === undefined) return known === undefined ? goodOf(reading, place, []) : heldFile(known);
  const same = sameFiles(known, files);
  const others = files.slice(same).map((file) => texts.get(file) ?? '');
  if (known === undefined) return goodOf(reading, place, others);
  const last = known.ends.length - 1;
  const [text = '', ...next] = others;
  if (same > last && others.length === 0) return heldFile(known);
  if (same > last && last >= 0) return goodOf(reading, place, ['', ...others], known);
  if (same === last && text.startsWith(known.open))
    return goodOf(reading, place, [text.slice(known.open.length), ...next], known);
  const before = known.ends.slice(0, same).map((_, at) => textOf(known, at + 1));
  return goodOf(reading, place, [...before, ...others]);
}

/** How many files from the first on are as they were. */
function sameFiles(known: Held | undefined, files: readonly StoredFile[]): number {
  const other = files.findIndex((file, index) => known?.files[index] !== file);
  return other === -1 ? files.length : other;
}

function heldFile({ run, folder, events, ends, state, open }: Held): ReadFile {
  return { run, folder, events, ends, state, open, isThere: true, bad: null };
}
