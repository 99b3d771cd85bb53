/** The files of the logbook branch as they were read and verified, and the record that they make together. */

import { GitError } from '../domain/git.ts';
import { branded, isRunId, type RunId, type Sha, type TreeId } from '../domain/ids.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { fold } from '../domain/logbook/fold.ts';
import { EMPTY_JOURNAL, foldJournal, type JournalState } from '../domain/logbook/journal-state.ts';
import type { LogbookFault } from '../domain/logbook/logbook-fault.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import type { GoodFile } from '../logbook/dropped-entry.ts';
import { JOURNAL } from '../logbook/rules.ts';
import { type LogbookStore, readEvents, type StoredRun } from '../logbook/store/git-store.ts';
import { type BrokenRun, faultOf, stateAfter, WHOLE_BRANCH } from './broken-run.ts';
import type { Lab } from './lab.ts';
import {
  type Checking,
  goodOf,
  type Loss,
  longest,
  lostMarks,
  lostVersions,
  markedVersion,
  type ReadFile,
  versionsSince,
} from './record-check.ts';
import { runsToRead } from './runs-to-read.ts';
import { contained, containedEach, type Trouble, troubleKey, wordsOf } from './trouble.ts';

/** One file as it was read and verified. */
export type Held = {
  readonly text: string;
  readonly markdown: string | null;
  readonly events: readonly LogbookEvent[];
};

/** A run's file, or the repository journal. */
export type RecordName = RunId | 'journal';

/** The longest version of a file that verifies, where what stands there does not; an append may go on from it. */
export type GoodVersion = GoodFile & { readonly markdown: string | null };

export type Record = {
  readonly head: Sha | null;
  /** Newest first. */
  readonly runs: readonly RunState[];
  readonly journal: JournalState;
  readonly broken: readonly BrokenRun[];
  /** By run: of each broken file the longest good version, and nothing of files that never were a logbook's. */
  readonly good: ReadonlyMap<string, GoodVersion>;
  /** The runs as they were last read from a branch in order: what a branch that is gone is held against. */
  readonly lastGood: readonly RunState[];
};

/** Before anything was read. */
export const NOTHING_READ: Record = {
  head: null,
  runs: [],
  journal: EMPTY_JOURNAL,
  broken: [],
  good: new Map(),
  lastGood: [],
};

/** What is read again, and what of it is known: `held` is replaced file by file, `before` is the record as it was. */
export type Loading = Checking & {
  readonly lab: Pick<Lab, 'hash' | 'verifySignature' | 'log'>;
  readonly store: LogbookStore;
  readonly held: Map<string, Held>;
  readonly before: Record;
};

/** The verified files, and the record as it was before. */
export type Rebuilding = {
  readonly lab: Pick<Lab, 'hash' | 'log'>;
  readonly held: ReadonlyMap<string, Held>;
  readonly before: Pick<Record, 'lastGood'>;
};

/**
 * Reads what changed, into `held`, and holds all of it against the marks and the history. Of the runs so many are read
 * (runs-to-read.ts): every live one, and the last sealed five of its lanes.
 */
export async function loadAt(loading: Loading, head: Sha | null): Promise<Record> {
  const { held, before, marks } = loading;
  const names = [...runsToRead(await storedRuns(loading, head), marks), JOURNAL];
  const wasBroken = new Set(before.broken.map(({ run }) => run));
  const since = (run: string): Sha | null => (wasBroken.has(run) ? null : before.head);
  const versions = head === null ? new Map() : await versionsSince(loading, head, names, since);
  const found: Found = { broken: [], good: new Map() };
  const troubles: Trouble[] = [];
  for (const name of names)
    await contained(loading, troubles, { run: name, thread: null }, () =>
      readOne(loading, head, name, versions.get(name) ?? new Set(), found),
    );
  for (const { run, error } of troubles) {
    // What git cannot read for the moment is no fault of the file.
    if (error instanceof GitError) throw error;
    held.delete(run);
    found.good.delete(run);
  }
  const broken = [...found.broken, ...troubles.map((trouble) => unreadFile(loading, trouble))];
  return { ...rebuilt(loading, broken), good: found.good, head };
}

/** What is read grows file by file. */
type Found = { readonly broken: BrokenRun[]; readonly good: Map<string, GoodVersion> };

async function readOne(
  loading: Loading,
  head: Sha | null,
  name: string,
  versions: ReadonlySet<TreeId>,
  { broken, good }: Found,
): Promise<void> {
  const { lab, store, held, before } = loading;
  const stored = await store.read(head, name);
  const text =
    stored.kind === 'files' ? stored.text : head === null ? null : await readEvents(loading.git, head, name);
  const known = held.get(name);
  const file = known?.text === text && text !== null ? heldFile(name, known) : goodOf(loading, name, text);
  const byMark = await lostMarks(loading, file);
  const byHistory = await lostVersions(loading, file, versions);
  const fault = faultIn(file, byMark, stored, byHistory);
  const markdown = (stored.kind === 'files' ? stored.markdown : null) ?? known?.markdown ?? null;
  if (fault === null) {
    if (text === null) return;
    // The events stand as they were verified; what people wrote into the Markdown may be new.
    held.set(name, { text, markdown, events: file.events });
    remember(store, name, file);
    return;
  }
  held.delete(name);
  const earlier = before.good.get(name);
  const own = known === undefined ? [] : [heldFile(name, known)];
  const best = longest([
    ...byMark.versions,
    ...byHistory.versions,
    ...own,
    ...(earlier ? [earlier] : []),
    file,
  ]);
  if (best === null && fault.kind === 'bad-entry') {
    lab.log('what stands in the place of a logbook never was one', { run: name });
    good.set(name, { run: name, text: '', events: [], markdown: null });
    return;
  }
  const told = before.broken.find((one) => one.run === name);
  const state = stateAfter(best?.events ?? []) ?? told?.state ?? null;
  if (best !== null) good.set(name, { ...best, markdown });
  broken.push({ run: name, fault, state, thread: told?.thread ?? null });
}

/** A file that a bug keeps from being read, with what was known of the run before. */
function unreadFile({ lab, before }: Rebuilding, { run, error }: Trouble): BrokenRun {
  const message = wordsOf(error);
  const state = before.lastGood.find((one) => one.run === run) ?? null;
  return {
    run,
    fault: { kind: 'read-failed', key: troubleKey(lab.hash, run, message), message },
    state,
    thread: null,
  };
}

/** Whoever pushes more files than can be listed hides none of ours: every run has its mark from its first entry on. */
async function storedRuns({ lab, store }: Loading, head: Sha | null): Promise<readonly string[]> {
  try {
    return await store.runs(head);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'unreadable') throw error;
    lab.log(`the runs of the logbook cannot be listed, those with marks are read: ${error.message}`);
    return [];
  }
}

/** What the marks, and this process, know of the files of a branch that is gone or was put back. */
export async function goodWithoutBranch(
  checking: Checking,
  held: ReadonlyMap<string, Held>,
): Promise<Record['good']> {
  const good = new Map<string, GoodVersion>();
  for (const run of [...runsToRead([...held.keys()], checking.marks), JOURNAL]) {
    const known = held.get(run);
    const marked = await markedVersion(checking, run);
    const best = longest([...(marked ? [marked] : []), ...(known ? [heldFile(run, known)] : [])]);
    if (best !== null) good.set(run, { ...best, markdown: known?.markdown ?? null });
  }
  return good;
}

function heldFile(run: string, { text, events }: Held): ReadFile {
  return { run, text, events, isThere: true, bad: null };
}

function remember(store: LogbookStore, run: string, { events }: GoodFile): void {
  const last = events.at(-1);
  if (last !== undefined) store.remember(run, { seq: last.seq, hash: last.hash });
}

/** What is wrong with a file: what was noticed before, else what comes first in it, else what its history has. */
function faultIn(file: ReadFile, byMark: Loss, stored: StoredRun, byHistory: Loss): LogbookFault | null {
  if (stored.kind === 'incident') return faultOf(stored.incident);
  const { bad } = file;
  const { missing } = byMark;
  if (bad !== null && (missing === null || bad.seq <= missing.seq)) return { kind: 'bad-entry', ...bad };
  const lost = missing ?? byHistory.missing;
  return lost === null ? null : { kind: 'entry-missing', ...lost };
}

/** What the verified files say together, each for itself; the caller adds the head at which they were read. */
export function rebuilt(rebuilding: Rebuilding, broken: readonly BrokenRun[]): Omit<Record, 'head' | 'good'> {
  const { held, before } = rebuilding;
  const troubles: Trouble[] = [];
  const each = <Made>(files: Iterable<readonly [string, Held]>, fold: (file: Held, name: string) => Made) =>
    containedEach(
      rebuilding,
      troubles,
      files,
      ([run]) => ({ run, thread: null }),
      ([run, file]) => [fold(file, run)],
    );
  const runs = each(
    [...held].filter(([name]) => name !== JOURNAL),
    stateOf,
  );
  const [journal = EMPTY_JOURNAL] = each(
    [...held].filter(([name]) => name === JOURNAL),
    ({ events }) => foldJournal(events),
  );
  const newestFirst = runs.toSorted(
    (a, b) => b.proposedAt.localeCompare(a.proposedAt) || b.run.localeCompare(a.run, 'en', { numeric: true }),
  );
  const unfolded = troubles.map((trouble) => unreadFile(rebuilding, trouble));
  const others = broken.filter(({ run }) => !unfolded.some((one) => one.run === run));
  const unread = new Set([...others, ...unfolded].filter(isReadFailure).map(({ run }) => run));
  return {
    runs: newestFirst,
    journal,
    broken: [...others, ...unfolded],
    lastGood: [...newestFirst, ...before.lastGood.filter(({ run }) => unread.has(run))],
  };
}

/** Whether a bug keeps the file from being read: a process that met one ends as failed. */
export function isReadFailure({ fault }: BrokenRun): boolean {
  return fault.kind === 'read-failed';
}

/** Nothing may be acted on; the newest run that was under way is the one whose thread hears about it. */
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

function stateOf(file: Held, name: string): RunState {
  const folded = fold(file.events);
  if (!folded.ok || folded.value === null)
    throw new Error(`the verified logbook of ${branded(name, isRunId)} does not fold`);
  return folded.value;
}
