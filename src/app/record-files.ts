/** Reads and verifies the files of the logbook branch, and builds the record from them. */

import type { Refusal } from '../actions/pipeline.ts';
import { GitError } from '../domain/git.ts';
import { EMPTY_JOURNAL, type JournalState } from '../domain/logbook/journal-state.ts';
import { faultKey, type LogbookFault } from '../domain/logbook/logbook-fault.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { RunId, Sha, TreeId } from '../domain/values.ts';
import { type Anchor, type FileState, JOURNAL } from '../logbook/chain.ts';
import { foldersIn, type GoodFile, type RunIndex, runsToRead } from '../logbook/segments.ts';
import { type LogbookStore, type StoredRun, storedMonths } from '../logbook/store/git-store.ts';
import { type BrokenRun, stateAfter, WHOLE_BRANCH } from './broken-run.ts';
import {
  type Asked,
  type Checking,
  type Held,
  type Loss,
  listRuns,
  longest,
  lostMarks,
  lostVersions,
  markedVersion,
  placesOf,
  type ReadFile,
  type Reading,
  readRun,
  type Versions,
  versionsSince,
} from './record-check.ts';
import { contained, type Trouble, troubleKey, wordsOf } from './trouble.ts';

/** A run's file, or the repository journal. */
export type RecordName = RunId | 'journal';

export type Record = {
  readonly head: Sha | null;
  /** Newest first. */
  readonly runs: readonly RunState[];
  readonly journal: JournalState;
  readonly broken: readonly BrokenRun[];
  /** By run: the longest verified version of each broken file. */
  readonly good: ReadonlyMap<string, GoodFile>;
  /** The runs as last read from an intact branch. A branch that disappeared is compared with them. */
  readonly lastGood: readonly RunState[];
};

/** The record before the first read. */
export const NOTHING_READ: Record = {
  head: null,
  runs: [],
  journal: EMPTY_JOURNAL,
  broken: [],
  good: new Map(),
  lastGood: [],
};

/** Input of a load. `held` is updated file by file; `before` is the previous record. */
export type Loading = Reading & {
  readonly held: Map<string, Held>;
  readonly before: Record;
  /** Additional runs to read, even if they do not exist. */
  readonly also?: readonly string[];
};

/** The verified files and the previous record. */
export type Rebuilding = {
  readonly held: ReadonlyMap<string, Held>;
  readonly before: Pick<Record, 'lastGood'>;
};

/** Reads changed files into `held` and checks all files against the checkpoint, the marks and the git history. */
export async function loadAt(loading: Loading, head: Sha | null): Promise<Record> {
  const { held, marks, store, also = [] } = loading;
  const found: Found = { broken: [], good: new Map() };
  const troubles: Trouble[] = [];
  const reads: ReadRun[] = [];
  const readAll = async (names: Iterable<string>, index: RunIndex): Promise<void> => {
    const verified = (run: string): string | undefined => verifiedOf(loading, run)?.folder;
    const places = await placesOf(loading.git, head, names, { verified, folders: foldersIn(marks, index) });
    const listing = await listRuns(loading, head, places);
    for (const [run, { folder, tree }] of places)
      await contained(loading, troubles, { run, thread: null }, async () => {
        reads.push({
          file: readRun(loading, { run, folder }, listing),
          tree,
          stored: listing.stored.get(run),
        });
      });
  };
  await readAll([JOURNAL], EMPTY_JOURNAL);
  const named = indexOf(reads[0]?.file.state);
  // Runs have marks from their first entry on. If all marks are gone, a new process does not trust the index and also lists folders.
  const isBare = marks.length === 0 && held.size === 0;
  const stored = head !== null && isBare ? await storedMonths(loading.git, head) : new Map();
  const index = { ...named, begun: new Map([...stored, ...named.begun]) };
  for (const { run, seq, hash } of [...(index.checkpoint?.ended.values() ?? []), ...(index.checkpoint?.live ?? [])])
    store.remember(run, { seq, hash });
  const usual = new Set([JOURNAL, ...runsToRead(marks, index)]);
  await readAll(
    [...new Set([...usual, ...also])].filter((run) => run !== JOURNAL),
    index,
  );
  const asked = askedOf(loading, reads, usual);
  const versions = head === null ? new Map() : await versionsSince(loading, head, asked);
  for (const read of reads)
    await contained(loading, troubles, { run: read.file.run, thread: null }, async () => {
      const { file } = read;
      takeIn(loading, read, await judge(loading, head, file, versions.get(file.run) ?? new Map()), found);
    });
  for (const { run, error } of troubles) {
    // A git failure is temporary and does not mean that the file is broken.
    if (error instanceof GitError) throw error;
    held.delete(run);
    found.good.delete(run);
  }
  const broken = [...found.broken, ...troubles.map((trouble) => unreadFile(loading, trouble))];
  return { ...rebuilt(loading, broken), good: found.good, head };
}

/** The journal's index of runs, as far as it was read. */
export function indexIn(held: Loading['held']): RunIndex {
  return indexOf(held.get(JOURNAL)?.state);
}

function indexOf(state: FileState | null | undefined): RunIndex {
  return state?.kind === 'journal' ? state.state : EMPTY_JOURNAL;
}

/** The known version of a run, without reading it again. */
function verifiedOf({ held, before }: Loading, run: string): GoodFile | undefined {
  return held.get(run) ?? before.good.get(run);
}

/** The results, collected run by run. */
type Found = { readonly broken: BrokenRun[]; readonly good: Map<string, GoodFile> };

type ReadRun = {
  readonly file: ReadFile;
  readonly tree: TreeId | null;
  /** The listing of its folder. */
  readonly stored: StoredRun | undefined;
};

function takeIn(
  { lab, store, held, before }: Loading,
  { file, tree, stored }: ReadRun,
  judged: Judgement | null,
  { broken, good }: Found,
): void {
  const { run: name, folder } = file;
  const known = held.get(name);
  if (judged === null) {
    if (!file.isThere || file.state === null) return;
    const { events, ends, state, open } = file;
    const files = stored?.events ?? known?.files ?? [];
    held.set(name, { run: name, folder, events, ends, state, open, tree, files });
    remember(store, name, file);
    return;
  }
  held.delete(name);
  const { fault, versions } = judged;
  const earlier = before.good.get(name);
  const all = [...versions, ...(known ? [known] : []), ...(earlier ? [earlier] : []), file];
  const best = longest(all.filter(hasLost(fault))) ?? longest(all);
  if (best === null && fault.kind === 'bad-entry') {
    lab.log('what stands in the place of a logbook never was one', { run: name });
    return;
  }
  const told = before.broken.find((one) => one.run === name);
  const state = stateAfter(best?.events ?? []) ?? told?.state ?? null;
  if (best !== null) good.set(name, best);
  broken.push({ run: name, fault, state, thread: told?.thread ?? null });
}

/** Only versions with the missing entry count: a stolen key can replace entries with other ones, and with more of them. */
function hasLost(fault: LogbookFault): (version: Pick<GoodFile, 'events'>) => boolean {
  return ({ events }) => fault.kind !== 'entry-missing' || events[fault.seq]?.hash.startsWith(fault.hash) === true;
}

/** A file that cannot be read because of a bug, with the previous state of the run. */
function unreadFile({ lab, before }: Loading, { run, error }: Trouble): BrokenRun {
  const message = wordsOf(error);
  const state = before.lastGood.find((one) => one.run === run) ?? null;
  return {
    run,
    fault: { kind: 'read-failed', key: troubleKey(lab.hash, run, message), message },
    state,
    thread: null,
  };
}

type Judgement = { readonly fault: LogbookFault; readonly versions: readonly GoodFile[] };

/** Finds the fault of a run and the known longer versions; null if the run is intact. */
async function judge(
  loading: Loading,
  head: Sha | null,
  file: ReadFile,
  versions: Versions,
): Promise<Judgement | null> {
  const byMark = await lostMarks(loading, file);
  const byHistory = await lostInHistory(loading, head, file, versions);
  const fault = faultIn(file, byMark, loading.store.lostFrom(file), byHistory);
  return fault === null ? null : { fault, versions: [...byMark.versions, ...byHistory.versions] };
}

/** If a file is missing, the files after it may be missing, too. Searches the history file by file until none is found. */
async function lostInHistory(loading: Loading, head: Sha | null, file: ReadFile, versions: Versions): Promise<Loss> {
  const all = new Map(versions);
  const last = Math.max(0, ...versions.keys());
  for (let part = last + 1; head !== null && part > file.ends.length + 1 && all.has(part - 1); part += 1) {
    const asked = { run: file.run, folder: file.folder, from: part, to: part, since: null };
    const further = (await versionsSince(loading, head, [asked])).get(file.run)?.get(part);
    if (further !== undefined) all.set(part, further);
  }
  return lostVersions(loading, file, all);
}

function askedOf({ held, before }: Loading, reads: readonly ReadRun[], usual: ReadonlySet<string>): readonly Asked[] {
  const wasBroken = new Set(before.broken.map(({ run }) => run));
  return reads.map(({ file: { run, folder }, stored }) => {
    const known = held.get(run);
    const isKnown = known !== undefined && !wasBroken.has(run);
    const parts = Math.max(known?.ends.length ?? 0, stored?.events.length ?? 0);
    // Only the newest file grows. Of the files that were read before, only the last one can have lost entries.
    const from = isKnown ? Math.max(1, known.ends.length) : 1;
    // Marks do not vouch for runs that the authors of the marks did not read.
    const since = usual.has(run) ? null : 'all';
    return { run, folder, from, to: parts + 1, since: isKnown ? before.head : since };
  });
}

/** The longest versions from the marks and this process, for a branch that was deleted or reset. */
export async function goodWithoutBranch(
  checking: Checking,
  held: ReadonlyMap<string, GoodFile>,
  index: RunIndex,
): Promise<Record['good']> {
  const good = new Map<string, GoodFile>();
  for (const run of new Set([...held.keys(), ...runsToRead(checking.marks, index), JOURNAL])) {
    const known = held.get(run);
    const marked = await markedVersion(checking, run);
    const best = longest([...(marked ? [marked] : []), ...(known ? [known] : [])]);
    if (best !== null) good.set(run, best);
  }
  return good;
}

function remember(store: LogbookStore, run: string, { events }: GoodFile): void {
  const last = events.at(-1);
  if (last !== undefined) store.remember(run, { seq: last.seq, hash: last.hash });
}

/** The first fault of a file: a bad entry, or a missing entry that this process, a mark or the history knows. */
function faultIn(file: ReadFile, byMark: Loss, lostHere: Anchor | null, byHistory: Loss): LogbookFault | null {
  const { bad } = file;
  const missing = lostHere ?? byMark.missing;
  if (bad !== null && (missing === null || bad.seq <= missing.seq)) return { kind: 'bad-entry', ...bad };
  const lost = missing ?? byHistory.missing;
  return lost === null ? null : { kind: 'entry-missing', ...lost };
}

/** Builds the record from the verified files; the caller adds the head. */
export function rebuilt({ held, before }: Rebuilding, broken: readonly BrokenRun[]): Omit<Record, 'head' | 'good'> {
  const runs = [...held.values()].flatMap(({ state }) =>
    state.kind === 'run' && state.state !== null ? [state.state] : [],
  );
  const journal = held.get(JOURNAL)?.state;
  const unread = new Set(broken.filter(isReadFailure).map(({ run }) => run));
  const newestFirst = runs.toSorted(
    (a, b) => b.proposedAt.localeCompare(a.proposedAt) || b.run.localeCompare(a.run, 'en', { numeric: true }),
  );
  return {
    runs: newestFirst,
    journal: journal?.kind === 'journal' ? journal.state : EMPTY_JOURNAL,
    broken,
    lastGood: [...newestFirst, ...before.lastGood.filter(({ run }) => unread.has(run))],
  };
}

/** Whether a bug prevents reading the file. A process with such a file exits as failed. */
export function isReadFailure({ fault }: BrokenRun): boolean {
  return fault.kind === 'read-failed';
}

/** Blocks all actions. The thread of the newest live run gets the notice. */
export function lost(
  before: Record,
  fault: LogbookFault,
  thread: number | null = null,
  good: Record['good'] = before.good,
): Record {
  const { lastGood } = before;
  const known = lastGood.length > 0 ? lastGood : [...good.values()].map(({ events }) => stateAfter(events));
  const runs = known.filter((run) => run !== null);
  const state = runs.find((run) => !isOver(run)) ?? runs[0] ?? null;
  return { ...NOTHING_READ, good, lastGood, broken: [{ run: WHOLE_BRANCH, fault, state, thread }] };
}

/** Refuses actions if the run's record or the journal is broken, because the journal may contain a hold. `code`: code of the refusal. */
export function recordFault({ broken }: Record, file: string, code: string): Refusal | null {
  const fault = broken.find(({ run }) => run === file || run === JOURNAL || run === WHOLE_BRANCH);
  if (fault === undefined) return null;
  const what = fault.run === WHOLE_BRANCH ? "the logbook's branch" : `the record of ${fault.run}`;
  const why = `${what} does not verify: ${faultKey(fault.fault)}`;
  return { kind: 'refused', code, effect: 'standing', why };
}
