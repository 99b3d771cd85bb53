/** Checks every run of the logbook against the evidence: marks, git history, and what this process read before. */

import type { GitReader } from '../domain/git.ts';
import type { CheckpointedRun } from '../domain/logbook/events/record-events.ts';
import type { PublicKey } from '../domain/logbook/parts.ts';
import type { Sha, TreeId } from '../domain/values.ts';
import { type Anchor, createTransitionCheck, decodeLine, type FileState, splitLines } from '../logbook/chain.ts';
import {
  eventsPath,
  type GoodFile,
  joinEventLines,
  monthOfFolder,
  parseRecordPath,
  runFolder,
  textOfPart,
} from '../logbook/segments.ts';
import {
  type LogbookStore,
  listStoredRuns,
  NOT_STORED,
  readEvents,
  readTexts,
  type StoredFile,
  type StoredFolder,
  type StoredRun,
} from '../logbook/store/git-store.ts';
import { type BadEntry, type Checkpoint, readChain, verifyLogbook } from '../logbook/verify.ts';
import type { Lab } from './lab.ts';
import type { SeenMark } from './record-marks.ts';

/** The files of a run at the head: the verified part, the state after it, and the first bad entry. */
export type ReadFile = GoodFile & {
  readonly exists: boolean;
  readonly badEntry: BadEntry | null;
  readonly state: FileState | null;
  readonly lastFileText: string;
};

/** Input of a check. `backed` caches for each mark whether its commit really contains the marked entry. */
export type Checking = {
  readonly lab: Pick<Lab, 'hash' | 'verifySignature'>;
  readonly config: { readonly keys: readonly PublicKey[] };
  readonly git: GitReader;
  readonly marks: readonly SeenMark[];
  readonly marksConfirmed: Map<string, GoodFile | null>;
};

/** An entry that disappeared, and known longer versions of the file; a repair uses the longest. */
export type Loss = { readonly missing: Anchor | null; readonly versions: readonly GoodFile[] };

/** For one run: all earlier contents of each file, by file number. */
export type Versions = ReadonlyMap<number, ReadonlySet<TreeId>>;

/** The part that was verified before; new texts may extend it. */
export type Verified = GoodFile & Pick<ReadFile, 'state' | 'lastFileText'>;

/** A run (or the journal) and the folder with its files. */
export type RunLocation = Pick<GoodFile, 'run' | 'folder'>;

/** Verifies the texts of a run's files up to the first bad entry. With `before`, verifies only the new part. */
export function verifyFile(
  checking: Checking,
  { run, folder }: RunLocation,
  texts: readonly string[],
  before: Verified | null = null,
): ReadFile {
  const [text = '', ...next] = texts;
  if (texts.length === 0 && before === null) return { ...NOTHING, run, folder };
  const from: Checkpoint | null =
    before === null ? null : { entries: before.events.length, last: before.events.at(-1) ?? null, state: before.state };
  const { hash, verifySignature } = checking.lab;
  const { events, ends, badEntry, checkpoint } = verifyLogbook({
    ...{ text, next, ...(from === null ? {} : { from }), run, month: monthOfFolder(folder) },
    ...{ keys: checking.config.keys, anchor: null, undecodableLine: null, hash, verifySignature },
  });
  // An unfinished file has no anchor; its marks and git history anchor it instead.
  const fault = badEntry === null || badEntry.reason === 'unanchored' ? null : badEntry;
  const allEnds = [...(before?.ends.slice(0, -1) ?? []), ...ends];
  const open = next.at(-1) ?? `${before?.lastFileText ?? ''}${text}`;
  return {
    run,
    folder,
    events: before === null ? events : [...before.events, ...events],
    // Omit files without any verified entry.
    ends: allEnds.filter((end, index) => end > (allEnds[index - 1] ?? 0)),
    exists: true,
    badEntry: fault,
    state: checkpoint.state,
    lastFileText: open,
  };
}

/** Verifies a file that this process reads for the first time: up to the vouched entry only the hash chain, after it everything. */
function verifyNewFile(checking: Checking, place: RunLocation, texts: readonly string[], vouched?: Anchor): ReadFile {
  const lines = texts.map((text) => splitLines(text).whole);
  const isWhole = vouched !== undefined && lines.every(({ length }) => length > 0);
  const chain = !isWhole ? null : readChain(lines.flat().slice(0, vouched.seq + 1), vouched, checking.lab.hash);
  const check = createTransitionCheck(place.run);
  if (chain === null || chain.some((event) => check.check(event) !== null)) return verifyFile(checking, place, texts);
  const ends: number[] = [];
  for (const { length } of lines) {
    const start = ends.at(-1) ?? 0;
    if (start < chain.length) ends.push(Math.min(start + length, chain.length));
  }
  const last = ends.length - 1;
  const taken = (ends[last] ?? 0) - (ends[last - 1] ?? 0);
  const open = (lines[last] ?? [])
    .slice(0, taken)
    .map((line) => `${line}\n`)
    .join('');
  const before = { ...place, events: chain, ends, state: check.state(), lastFileText: open };
  return verifyFile(checking, place, [(texts[last] ?? '').slice(open.length), ...texts.slice(ends.length)], before);
}

const NOTHING: Omit<ReadFile, keyof RunLocation> = {
  events: [],
  ends: [],
  exists: false,
  badEntry: null,
  state: null,
  lastFileText: '',
};

/** Marks of entries that the file lacks. The marked commit must contain the entry, because a mark by itself does not prove one. */
export async function findMissingMarkedEntries(checking: Checking, file: GoodFile): Promise<Loss> {
  const versions: GoodFile[] = [];
  let missing: Anchor | null = null;
  for (const seen of checking.marks) {
    const { run, seq, hash } = seen.mark;
    if (run !== file.run || file.events[seq]?.hash === hash) continue;
    const version = await readMarkedVersion(checking, seen);
    if (version === null) continue;
    versions.push(version);
    if (missing === null || seq > missing.seq) missing = { seq, hash };
  }
  return { missing, versions };
}

/** The verified part of the run at the marked commit; null if that commit lacks the marked entry. */
export async function readMarkedVersion(checking: Checking, { mark, commit }: SeenMark): Promise<GoodFile | null> {
  const key = `${mark.run} ${mark.hash} ${commit}`;
  const known = checking.marksConfirmed.get(key);
  if (known !== undefined) return known;
  const folder = runFolder(mark.run, mark.firstEntryAt);
  const texts = await readEvents(checking.git, commit, folder);
  const file = verifyFile(checking, { run: mark.run, folder }, texts);
  const found = file.events[mark.seq]?.hash === mark.hash ? file : null;
  checking.marksConfirmed.set(key, found);
  return found;
}

/** File numbers to search for earlier versions. `since`: `all` = whole history; null = since the newest mark that vouches for the run. */
export type HistoryQuery = RunLocation & {
  readonly from: number;
  readonly to: number;
  readonly since: Sha | 'all' | null;
};

/** The blob ids of all versions of the files since then, by run. Skipped if `since` is already the head. */
export async function listVersionsSince(
  checking: Checking,
  head: Sha,
  queries: readonly HistoryQuery[],
): Promise<ReadonlyMap<string, Versions>> {
  const found = new Map<string, Map<number, Set<TreeId>>>();
  const bases = Map.groupBy(queries, ({ run, since }) => since ?? verifiedUntil(checking.marks, run));
  for (const [base, of] of bases) {
    if (base === head) continue;
    const paths = of.flatMap(({ folder, from, to }) =>
      Array.from({ length: to - from + 1 }, (_, index) => eventsPath(folder, from + index)),
    );
    const wanted = new Set(paths);
    for (const { path, blob } of await checking.git.versions({
      from: head,
      not: base === 'all' ? null : base,
      paths,
    })) {
      const place = wanted.has(path) ? parseRecordPath(path) : null;
      if (place === null) continue;
      const ofRun = found.get(place.run) ?? new Map<number, Set<TreeId>>();
      found.set(place.run, ofRun);
      ofRun.set(place.part, (ofRun.get(place.part) ?? new Set<TreeId>()).add(blob));
    }
  }
  return found;
}

/** Versions with an entry that the run lacks. Most ids match a prefix of the current text, so only the other versions are read. */
export async function lostVersions(checking: Checking, file: GoodFile, versions: Versions): Promise<Loss> {
  const { git } = checking;
  const lost: GoodFile[] = [];
  let missing: Anchor | null = null;
  let fullest: GoodFile = file;
  for (const [part, ids] of [...versions].sort(([a], [b]) => a - b)) {
    const own: ReadonlySet<TreeId> =
      part <= file.ends.length ? git.beginningsOf(textOfPart(file, part), ids) : new Set();
    const others = [...ids].filter((id) => !own.has(id));
    if (others.length === 0) continue;
    for (const text of (await git.readBlobs(others)).values()) {
      const version = buildVersionWith(checking, fullest, text);
      if (version === null) continue;
      const { seq, hash } = version.dropped;
      missing ??= { seq, hash };
      lost.push(version);
      if (version.events.length > fullest.events.length) fullest = version;
    }
  }
  return { missing, versions: lost };
}

/** The run with this text in place of its own entries, and the first entry that the run lacks. Null if it lacks no verified entry. */
function buildVersionWith(
  checking: Checking,
  file: GoodFile,
  text: string,
): (GoodFile & { readonly dropped: Anchor }) | null {
  const first = decodeLine(text.slice(0, text.indexOf('\n')));
  if (!first.ok) return null;
  const from = first.value.seq;
  if (joinEventLines(file.events.slice(from)).startsWith(text)) return null;
  const { run, folder, ends } = file;
  const { events } = verifyFile(checking, file, [`${joinEventLines(file.events.slice(0, from))}${text}`]);
  const dropped = events.find(({ hash }, seq) => file.events[seq]?.hash !== hash);
  if (dropped === undefined) return null;
  return { run, folder, events, ends: [...ends.filter((end) => end <= from), events.length], dropped };
}

/** The version with the most entries; null without versions. */
export function longestVersion(versions: readonly GoodFile[]): GoodFile | null {
  return versions.reduce<GoodFile | null>(
    (best, one) => (one.events.length > (best?.events.length ?? 0) ? one : best),
    null,
  );
}

/** Runs that are read in one batch: some megabytes. */
const RUNS_READ_AT_ONCE = 64;

/** Runs that do not match the hash chain of their last entry. That entry is signed, so no other signature is checked. */
export async function findRewrittenRuns(
  { git, lab }: { readonly git: GitReader; readonly lab: Pick<Lab, 'hash'> },
  head: Sha,
  runs: readonly CheckpointedRun[],
): Promise<readonly CheckpointedRun[]> {
  const found: CheckpointedRun[] = [];
  for (let at = 0; at < runs.length; at += RUNS_READ_AT_ONCE) {
    const some = runs.slice(at, at + RUNS_READ_AT_ONCE);
    const folders = some.map(({ run, firstEntryAt }) => runFolder(run, firstEntryAt));
    const stored = await listStoredRuns(git, head, folders);
    const texts = await readTexts(
      git,
      [...stored.values()].flatMap(({ events }) => events),
    );
    for (const [index, run] of some.entries()) {
      const folder = folders[index] ?? '';
      const { events } = stored.get(folder) ?? NOT_STORED;
      const [text = '', ...next] = events.map((file) => texts.get(file) ?? '');
      const { badEntry } = verifyLogbook({
        ...{ text, next, run: run.run, month: monthOfFolder(folder), anchor: run },
        ...{ keys: null, undecodableLine: null, hash: lab.hash, verifySignature: null },
      });
      if (badEntry !== null) found.push(run);
    }
  }
  return found;
}

/** The files of one run as this process verified or wrote them. */
export type CachedFile = Verified & {
  readonly state: FileState;
  /** The folder's tree id when it was read; null if this process has written to it since. */
  readonly tree: TreeId | null;
  /** Contents of the event files; null if unknown. */
  readonly files: readonly (StoredFile | null)[];
};

/** Input for reading; `held` contains what is already verified. */
export type RecordReading = Checking & {
  readonly lab: Pick<Lab, 'hash' | 'verifySignature' | 'log'>;
  readonly store: LogbookStore;
  readonly cached: ReadonlyMap<string, CachedFile>;
};

/** What git returned: listings of changed folders, and texts of files with an unknown id. */
export type Listing = {
  readonly stored: ReadonlyMap<string, StoredRun>;
  readonly texts: ReadonlyMap<StoredFile, string>;
};

/** Lists changed folders and reads new files with two git calls, for any number of runs. */
export async function listRuns(
  { git, cached }: RecordReading,
  head: Sha | null,
  places: ReadonlyMap<string, StoredFolder>,
): Promise<Listing> {
  const others = [...places].filter(([name, { tree }]) => tree === null || cached.get(name)?.tree !== tree);
  const folders = others.map(([, { folder }]) => folder);
  const found = head === null ? new Map<string, StoredRun>() : await listStoredRuns(git, head, folders);
  const stored = new Map(others.map(([name, { folder }]) => [name, found.get(folder) ?? NOT_STORED]));
  const wanted = [...stored].flatMap(([name, { events }]) => events.slice(countSame(cached.get(name), events)));
  return { stored, texts: await readTexts(git, wanted) };
}

/** Verifies a run, starting after the part that was already verified. */
export function readRun(
  reading: RecordReading,
  place: RunLocation,
  { stored, texts }: Listing,
  vouched?: Anchor,
): ReadFile {
  const known = reading.cached.get(place.run);
  const files = stored.get(place.run)?.events;
  if (files === undefined) return known === undefined ? verifyFile(reading, place, []) : fromCache(known);
  const same = countSame(known, files);
  const others = files.slice(same).map((file) => texts.get(file) ?? '');
  if (known === undefined) return verifyNewFile(reading, place, others, vouched);
  const last = known.ends.length - 1;
  const [text = '', ...next] = others;
  if (same > last && others.length === 0) return fromCache(known);
  if (same > last && last >= 0) return verifyFile(reading, place, ['', ...others], known);
  if (same === last && text.startsWith(known.lastFileText))
    return verifyFile(reading, place, [text.slice(known.lastFileText.length), ...next], known);
  const before = known.ends.slice(0, same).map((_, at) => textOfPart(known, at + 1));
  return verifyFile(reading, place, [...before, ...others]);
}

function countSame(known: CachedFile | undefined, files: readonly StoredFile[]): number {
  const other = files.findIndex((file, index) => known?.files[index] !== file);
  return other === -1 ? files.length : other;
}

function fromCache({ run, folder, events, ends, state, lastFileText }: CachedFile): ReadFile {
  return { run, folder, events, ends, state, lastFileText, exists: true, badEntry: null };
}

/**
 * The newest commit at which a mark proves that the file was verified; older history need not be read. Marks that exclude the run do not
 * count. `all`: no mark proves it, so read the whole history.
 */
function verifiedUntil(marks: readonly SeenMark[], run: string): Sha | 'all' {
  let newest: SeenMark | null = null;
  for (const seen of marks) {
    const { mark, parents } = seen;
    const isFitting = mark.base === null || parents.some((parent) => parent === mark.base);
    if (!isFitting || mark.brokenFiles.includes(run)) continue;
    if (newest === null || mark.at > newest.mark.at) newest = seen;
  }
  const base = newest?.parents.find((parent) => parent === newest.mark.base);
  return base ?? 'all';
}
