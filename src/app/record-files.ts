/** Reads and verifies the files of the logbook branch, and builds the record from them. */

import type { Refusal } from '../actions/pipeline.ts';
import { GitError, type GitReader } from '../domain/git.ts';
import { EMPTY_JOURNAL, type JournalState } from '../domain/logbook/journal-state.ts';
import { faultKey, type LogbookFault } from '../domain/logbook/logbook-fault.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Sha, TreeId } from '../domain/values.ts';
import { type Anchor, type FileState, JOURNAL } from '../logbook/chain.ts';
import { type GoodFile, listFolders, type RunIndex, runsToRead } from '../logbook/segments.ts';
import { type LogbookStore, readStoredMonths, type StoredFolder, type StoredRun } from '../logbook/store/git-store.ts';
import { type BrokenRun, foldState, WHOLE_BRANCH } from './broken-run.ts';
import { describeError, guard, type Trouble, troubleKey } from './contained-errors.ts';
import {
  type CachedFile,
  type Checking,
  findMissingMarkedEntries,
  type HistoryQuery,
  type Loss,
  listRuns,
  listVersionsSince,
  longestVersion,
  lostVersions,
  type ReadFile,
  type RecordReading,
  readMarkedVersion,
  readRun,
  type Versions,
} from './record-check.ts';
import type { SeenMark } from './record-marks.ts';

export type Record = {
  readonly head: Sha | null;
  /** Newest first. */
  readonly runs: readonly RunState[];
  readonly journal: JournalState;
  readonly broken: readonly BrokenRun[];
  /** By run: the longest verified version of each broken file. */
  readonly goodFiles: ReadonlyMap<string, GoodFile>;
  /** The runs as last read from an intact branch. A branch that disappeared is compared with them. */
  readonly lastGood: readonly RunState[];
};

export const NOTHING_READ: Record = {
  head: null,
  runs: [],
  journal: EMPTY_JOURNAL,
  broken: [],
  goodFiles: new Map(),
  lastGood: [],
};

/** Input of a load. `held` is updated file by file; `before` is the previous record. */
export type Loading = RecordReading & {
  readonly cached: Map<string, CachedFile>;
  readonly previous: Record;
  /** Additional runs to read, even if they do not exist. */
  readonly extraRuns?: readonly string[];
};

export type RecordSources = {
  readonly cached: ReadonlyMap<string, CachedFile>;
  readonly previous: Pick<Record, 'lastGood'>;
};

/** Reads changed files into `held` and checks all files against the checkpoint, the marks and the git history. */
export async function loadRecordAt(loading: Loading, head: Sha | null): Promise<Record> {
  const { cached, marks, store, extraRuns = [] } = loading;
  const found: LoadResult = { broken: [], goodFiles: new Map() };
  const troubles: Trouble[] = [];
  const reads: ReadRun[] = [];
  const readAll = async (names: Iterable<string>, index: RunIndex): Promise<void> => {
    const verified = (run: string): string | undefined => findVerifiedFile(loading, run)?.folder;
    const places = await locateRuns(loading.git, head, names, { verified, folders: listFolders(marks, index) });
    const listing = await listRuns(loading, head, places);
    const vouched = listVouchedEntries(marks, index);
    for (const [run, { folder, tree }] of places)
      await guard(loading, troubles, { run, thread: null }, async () => {
        reads.push({
          file: readRun(loading, { run, folder }, listing, vouched.get(run)),
          tree,
          stored: listing.stored.get(run),
        });
      });
  };
  await readAll([JOURNAL], EMPTY_JOURNAL);
  const named = toRunIndex(reads[0]?.file.state);
  // Runs have marks from their first entry on. If all marks are gone, a new process does not trust the index and also lists folders.
  const isBare = marks.length === 0 && cached.size === 0;
  const stored = head !== null && isBare ? await readStoredMonths(loading.git, head) : new Map();
  const index = { ...named, proposingSince: new Map([...stored, ...named.proposingSince]) };
  for (const { run, seq, hash } of [...(index.checkpoint?.ended.values() ?? []), ...(index.checkpoint?.live ?? [])])
    store.remember(run, { seq, hash });
  const usual = new Set([JOURNAL, ...runsToRead(marks, index)]);
  await readAll(
    [...new Set([...usual, ...extraRuns])].filter((run) => run !== JOURNAL),
    index,
  );
  const asked = historyQueries(loading, reads, usual);
  const versions = head === null ? new Map() : await listVersionsSince(loading, head, asked);
  for (const read of reads)
    await guard(loading, troubles, { run: read.file.run, thread: null }, async () => {
      const { file } = read;
      storeReadRun(loading, read, await judgeFile(loading, head, file, versions.get(file.run) ?? new Map()), found);
    });
  for (const { run, error } of troubles) {
    // A git failure is temporary and does not mean that the file is broken.
    if (error instanceof GitError) throw error;
    cached.delete(run);
    found.goodFiles.delete(run);
  }
  const broken = [...found.broken, ...troubles.map((trouble) => readFailure(loading, trouble))];
  return { ...buildRecord(loading, broken), goodFiles: found.goodFiles, head };
}

/** The journal's index of runs, as far as it was read. */
export function journalIndex(held: Loading['cached']): RunIndex {
  return toRunIndex(held.get(JOURNAL)?.state);
}

function toRunIndex(state: FileState | null | undefined): RunIndex {
  return state?.kind === 'journal' ? state.state : EMPTY_JOURNAL;
}

/** The known version of a run, without reading it again. */
function findVerifiedFile({ cached, previous }: Loading, run: string): GoodFile | undefined {
  return cached.get(run) ?? previous.goodFiles.get(run);
}

type LoadResult = { readonly broken: BrokenRun[]; readonly goodFiles: Map<string, GoodFile> };

type ReadRun = { readonly file: ReadFile; readonly tree: TreeId | null; readonly stored: StoredRun | undefined };

function storeReadRun(
  { lab, store, cached, previous }: Loading,
  { file, tree, stored }: ReadRun,
  judged: FileJudgement | null,
  { broken, goodFiles }: LoadResult,
): void {
  const { run: name, folder } = file;
  const known = cached.get(name);
  if (judged === null) {
    if (!file.exists || file.state === null) return;
    const { events, ends, state, lastFileText } = file;
    const files = stored?.events ?? known?.files ?? [];
    cached.set(name, { run: name, folder, events, ends, state, lastFileText, tree, files });
    rememberAnchor(store, name, file);
    return;
  }
  cached.delete(name);
  const { fault, versions } = judged;
  const earlier = previous.goodFiles.get(name);
  const all = [...versions, ...(known ? [known] : []), ...(earlier ? [earlier] : []), file];
  const best = longestVersion(all.filter(hasMissingEntry(fault))) ?? longestVersion(all);
  if (best === null && fault.kind === 'bad-entry') {
    lab.log('what stands in the place of a logbook never was one', { run: name });
    return;
  }
  const told = previous.broken.find((one) => one.run === name);
  const state = foldState(best?.events ?? []) ?? told?.state ?? null;
  if (best !== null) goodFiles.set(name, best);
  broken.push({ run: name, fault, state, thread: told?.thread ?? null });
}

/** Only versions with the missing entry count: a stolen key can replace entries with other ones, and with more of them. */
function hasMissingEntry(fault: LogbookFault): (version: Pick<GoodFile, 'events'>) => boolean {
  return ({ events }) => fault.kind !== 'entry-missing' || events[fault.seq]?.hash.startsWith(fault.hash) === true;
}

/** A file that cannot be read because of a bug, with the previous state of the run. */
function readFailure({ lab, previous }: Loading, { run, error }: Trouble): BrokenRun {
  const message = describeError(error);
  const state = previous.lastGood.find((one) => one.run === run) ?? null;
  return { run, fault: { kind: 'read-failed', key: troubleKey(lab.hash, run, message), message }, state, thread: null };
}

type FileJudgement = { readonly fault: LogbookFault; readonly versions: readonly GoodFile[] };

/** Finds the fault of a run and the known longer versions; null if the run is intact. */
async function judgeFile(
  loading: Loading,
  head: Sha | null,
  file: ReadFile,
  versions: Versions,
): Promise<FileJudgement | null> {
  const byMark = await findMissingMarkedEntries(loading, file);
  const byHistory = await findLostInHistory(loading, head, file, versions);
  const fault = findFileFault(file, byMark, loading.store.lostFrom(file), byHistory);
  return fault === null ? null : { fault, versions: [...byMark.versions, ...byHistory.versions] };
}

/** If a file is missing, the files after it may be missing, too. Searches the history file by file until none is found. */
async function findLostInHistory(
  loading: Loading,
  head: Sha | null,
  file: ReadFile,
  versions: Versions,
): Promise<Loss> {
  const all = new Map(versions);
  const last = Math.max(0, ...versions.keys());
  for (let part = last + 1; head !== null && part > file.ends.length + 1 && all.has(part - 1); part += 1) {
    const asked = { run: file.run, folder: file.folder, from: part, to: part, since: null };
    const further = (await listVersionsSince(loading, head, [asked])).get(file.run)?.get(part);
    if (further !== undefined) all.set(part, further);
  }
  return lostVersions(loading, file, all);
}

function historyQueries(
  { cached, previous }: Loading,
  reads: readonly ReadRun[],
  usual: ReadonlySet<string>,
): readonly HistoryQuery[] {
  const wasBroken = new Set(previous.broken.map(({ run }) => run));
  return reads.map(({ file: { run, folder }, stored }) => {
    const known = cached.get(run);
    const isKnown = known !== undefined && !wasBroken.has(run);
    const parts = Math.max(known?.ends.length ?? 0, stored?.events.length ?? 0);
    // Only the newest file grows. Of the files that were read before, only the last one can have lost entries.
    const from = isKnown ? Math.max(1, known.ends.length) : 1;
    // Marks do not vouch for runs that the authors of the marks did not read.
    const since = usual.has(run) ? null : 'all';
    return { run, folder, from, to: parts + 1, since: isKnown ? previous.head : since };
  });
}

/** The longest versions from the marks and this process, for a branch that was deleted or reset. */
export async function findGoodFiles(
  checking: Checking,
  held: ReadonlyMap<string, GoodFile>,
  index: RunIndex,
): Promise<Record['goodFiles']> {
  const good = new Map<string, GoodFile>();
  for (const run of new Set([...held.keys(), ...runsToRead(checking.marks, index), JOURNAL])) {
    const known = held.get(run);
    const marked = await findMarkedVersion(checking, run);
    const best = longestVersion([...(marked ? [marked] : []), ...(known ? [known] : [])]);
    if (best !== null) good.set(run, best);
  }
  return good;
}

function rememberAnchor(store: LogbookStore, run: string, { events }: GoodFile): void {
  const last = events.at(-1);
  if (last !== undefined) store.remember(run, { seq: last.seq, hash: last.hash });
}

/** The first fault of a file: a bad entry, or a missing entry that this process, a mark or the history knows. */
function findFileFault(file: ReadFile, byMark: Loss, lostHere: Anchor | null, byHistory: Loss): LogbookFault | null {
  const { badEntry } = file;
  const missing = lostHere ?? byMark.missing;
  if (badEntry !== null && (missing === null || badEntry.seq <= missing.seq)) return { kind: 'bad-entry', ...badEntry };
  const lost = missing ?? byHistory.missing;
  return lost === null ? null : { kind: 'entry-missing', ...lost };
}

/** Builds the record from the verified files; the caller adds the head. */
export function buildRecord(
  { cached, previous }: RecordSources,
  broken: readonly BrokenRun[],
): Omit<Record, 'head' | 'goodFiles'> {
  const runs = [...cached.values()].flatMap(({ state }) =>
    state.kind === 'run' && state.state !== null ? [state.state] : [],
  );
  const journal = cached.get(JOURNAL)?.state;
  const unread = new Set(broken.filter(isReadFailure).map(({ run }) => run));
  const newestFirst = runs.toSorted(
    (a, b) => b.proposedAt.localeCompare(a.proposedAt) || b.run.localeCompare(a.run, 'en', { numeric: true }),
  );
  return {
    runs: newestFirst,
    journal: journal?.kind === 'journal' ? journal.state : EMPTY_JOURNAL,
    broken,
    lastGood: [...newestFirst, ...previous.lastGood.filter(({ run }) => unread.has(run))],
  };
}

/** Whether a bug prevents reading the file. A process with such a file exits as failed. */
export function isReadFailure({ fault }: BrokenRun): boolean {
  return fault.kind === 'read-failed';
}

/** Refuses actions if the run's record or the journal is broken, because the journal may contain a hold. `code`: code of the refusal. */
export function findRecordFault({ broken }: Record, file: string, code: string): Refusal | null {
  const fault = broken.find(({ run }) => run === file || run === JOURNAL || run === WHOLE_BRANCH);
  if (fault === undefined) return null;
  const what = fault.run === WHOLE_BRANCH ? "the logbook's branch" : `the record of ${fault.run}`;
  const why = `${what} does not verify: ${faultKey(fault.fault)}`;
  return { kind: 'refused', code, effect: 'standing', why };
}

/** Locates the runs: the folder from `verified`, otherwise the first of the `folders` that exists at the head. */
async function locateRuns(
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

/** By run: the newest entry that a mark of control or the checkpoint names. Control had verified the entries up to it. */
function listVouchedEntries(
  marks: readonly SeenMark[],
  index: Pick<RunIndex, 'checkpoint'>,
): ReadonlyMap<string, Anchor> {
  const vouched = new Map<string, Anchor>(index.checkpoint?.ended);
  for (const { mark } of marks)
    if (
      mark.role === 'control' &&
      !mark.brokenFiles.includes(mark.run) &&
      (vouched.get(mark.run)?.seq ?? -1) < mark.seq
    )
      vouched.set(mark.run, mark);
  return vouched;
}

/** The longest version of a run that its marks prove. */
async function findMarkedVersion(checking: Checking, run: string): Promise<GoodFile | null> {
  const versions: GoodFile[] = [];
  for (const seen of checking.marks) {
    const version = seen.mark.run === run ? await readMarkedVersion(checking, seen) : null;
    if (version !== null) versions.push(version);
  }
  return longestVersion(versions);
}
