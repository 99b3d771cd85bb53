/** Keeps the record of a repository for this process: loads it at one head of the logbook branch and appends to it. */

import { type FetchRequest, GitError, type GitReader, type PushOutcome } from '../domain/git.ts';
import type { LogbookEvent } from '../domain/logbook/define.ts';
import type { LogbookFault } from '../domain/logbook/logbook-fault.ts';
import { isOver } from '../domain/logbook/run-state.ts';
import { type Instant, ok, type Result, type RunId, type Sha } from '../domain/values.ts';
import {
  type ComposedRun,
  commitMessage,
  composeAppend,
  createSigners,
  type Entry,
  type IllegalDraft,
} from '../logbook/append.ts';
import { type Anchor, type AppendResult, JOURNAL } from '../logbook/chain.ts';
import { MARK_PREFIX, type Mark, recentMarks } from '../logbook/mark.ts';
import { projectLogbook, projectMonitoringState } from '../logbook/projection.ts';
import {
  appendToFiles,
  firstEntryOfPart,
  type GoodFile,
  type GrownFile,
  listFolders,
  runFolder,
  runsToRead,
  textOfPart,
} from '../logbook/segments.ts';
import {
  type AppendRequest,
  createLogbookStore,
  type LogbookStore,
  type RunWrite,
  type StoredFile,
} from '../logbook/store/git-store.ts';
import type { LabConfig } from '../run/lane.ts';
import { type BrokenRun, foldState, WHOLE_BRANCH } from './broken-run.ts';
import type { Lab, LabGit } from './lab.ts';
import type { CachedFile, Checking } from './record-check.ts';
import {
  buildRecord,
  findGoodFiles,
  isReadFailure,
  journalIndex,
  loadRecordAt,
  NOTHING_READ,
  type Record,
} from './record-files.ts';
import { createDueMarks, createMarkReader, type MarkReader, type SeenMark } from './record-marks.ts';

type RecordName = RunId | 'journal';

type WrittenRun = { readonly write: RunWrite; readonly after: CachedFile };

/** All files of a run, as new files. */
export function listWholeFiles(file: GoodFile): readonly GrownFile[] {
  return file.ends.map((_, index) => ({ part: index + 1, before: '', text: textOfPart(file, index + 1) }));
}

function buildRunWrite(
  git: Pick<GitReader, 'blobIdOf'>,
  { run, lines, appended, head, state }: ComposedRun,
  before: CachedFile | undefined,
): WrittenRun {
  const { files, ends } = appendToFiles(before?.ends ?? [], before?.lastFileText ?? '', lines);
  const events: readonly LogbookEvent[] = [...(before?.events ?? []), ...appended];
  const file = { run, folder: runFolder(run, events[0]?.at ?? ''), events, ends };
  const markdown = new Map<number, string>();
  // Also rewrite the first file, which describes the whole run, and the file before a new one, which links to it.
  for (const part of [1, ...files.flatMap((one) => (one.before === '' ? [one.part - 1, one.part] : [one.part]))])
    if (part > 0 && !markdown.has(part)) markdown.set(part, renderPart(file, part));
  // Remember the ids as git will list them, so that a load after another push does not read these files again.
  const contents: (StoredFile | null)[] = ends.map((_, index) => before?.files[index] ?? null);
  for (const { part, text } of files) contents[part - 1] = git.blobIdOf(text);
  const monitoring = projectMonitoringState(events);
  return {
    write: { run, folder: file.folder, events: files, markdown, monitoring, head, isNew: before === undefined },
    after: { ...file, lastFileText: files.at(-1)?.text ?? '', state, tree: null, files: contents },
  };
}

/** Renders the Markdown file for one events file. */
export function renderPart(file: GoodFile, part: number): string {
  const from = firstEntryOfPart(file, part);
  const to = file.ends[part - 1] ?? file.events.length;
  return projectLogbook(file.events, { part, from, to, isLast: part >= file.ends.length });
}

/** The newest refused append. `after`: sequence number of the run's newest recorded entry; -1 if there is none. */
export type AppendRefusal = { readonly run: RecordName; readonly after: number; readonly message: string };

export type EventStore = {
  /** Fetches (unless `isFetched`) and verifies. Skips files that did not change. */
  readonly load: (isFetched?: boolean) => Promise<Record>;
  /** What a fetch before a load has to contain. */
  readonly request: () => NonNullable<FetchRequest['record']>;
  /** Pushes all entries, or none, on top of the last load. Only `transact` calls it. */
  readonly append: (entries: readonly Entry[], at: Instant) => Promise<AppendResult>;
  readonly current: () => Record;
  /** Sequence numbers of the entries that this process appended to a file, oldest first. The set grows with each append. */
  readonly appended: (run: string) => ReadonlySet<number>;
  /** The genuine marks of the last load. */
  readonly marks: () => readonly Mark[];
  /** The verified events of every run, for replays. */
  readonly histories: () => readonly (readonly LogbookEvent[])[];
  /** Null after the next successful append. */
  readonly refusal: () => AppendRefusal | null;
  /** Loads again if our card names an unknown entry. If the entry is still missing, reports the run as broken. */
  readonly expectEntry: (run: RunId, anchor: Anchor, thread: number) => Promise<void>;
  /** Blocks all actions: the branch is missing, and this thread proves that it existed. */
  readonly reportMissingBranch: (thread: number) => void;
};

/** State of a store; `record` and `refusal` are replaced as a whole. */
type StoreState = {
  readonly lab: Lab;
  readonly config: LabConfig;
  readonly store: LogbookStore;
  readonly cached: Map<string, CachedFile>;
  readonly git: LabGit;
  readonly marks: MarkReader;
  readonly marksConfirmed: Checking['marksConfirmed'];
  readonly appended: Map<string, Set<number>>;
  /** `seen`: marks of the last load. `known`: hashes of all known marked entries. `markedAt`: newest marked entry of each file. */
  currentMarks: readonly SeenMark[];
  /** Whether marks of all months are fetched, because no recent checkpoint covers the older ones. */
  hasOldMarks: boolean;
  readonly knownHashes: Set<string>;
  readonly markedAt: Map<string, number>;
  record: Record;
  refusal: AppendRefusal | null;
};

/** Keeps the record of one repository under one config. `before`: the record of an earlier store, to detect lost entries. */
export function createEventStore(lab: Lab, config: LabConfig, git: LabGit, before: Record | null): EventStore {
  const store = createLogbookStore({ reader: git, writer: git, branch: config.logbookBranch });
  for (const run of before?.lastGood ?? []) store.remember(run.run, run.head);
  if (before !== null && before.journal.head !== null) store.remember(JOURNAL, before.journal.head);
  const record = { ...NOTHING_READ, lastGood: before?.lastGood ?? [] };
  const keeping: StoreState = {
    lab,
    config,
    store,
    git,
    cached: new Map(),
    marks: createMarkReader(lab, config, git),
    marksConfirmed: new Map(),
    appended: new Map(),
    currentMarks: [],
    hasOldMarks: false,
    knownHashes: new Set(),
    markedAt: new Map(),
    record,
    refusal: null,
  };
  return {
    load: (isFetched = false) => load(keeping, isFetched),
    request: () => requestOf(keeping),
    append: (entries, at) => append(keeping, entries, at),
    current: () => keeping.record,
    appended: (run) => ownEntries(keeping, run),
    marks: () => keeping.currentMarks.map(({ mark }) => mark),
    histories: () => [...keeping.cached].filter(([name]) => name !== JOURNAL).map(([, { events }]) => events),
    refusal: () => keeping.refusal,
    expectEntry: (run, anchor, thread) => requireEntry(keeping, run, anchor, thread),
    reportMissingBranch: (thread) => {
      keeping.record = recordOfLostBranch(keeping.record, { kind: 'branch-missing' }, thread);
    },
  };
}

async function load(keeping: StoreState, isFetched = false): Promise<Record> {
  const record = await loadOnce(keeping, isFetched ? null : { record: requestOf(keeping) });
  if (keeping.hasOldMarks || isRecent(keeping)) return record;
  keeping.hasOldMarks = true;
  return loadOnce(keeping, { record: requestOf(keeping) });
}

function requestOf({ lab, config, hasOldMarks }: StoreState): NonNullable<FetchRequest['record']> {
  const marks = hasOldMarks ? [MARK_PREFIX] : recentMarks(lab.now());
  return { branch: `refs/heads/${config.logbookBranch}`, marks };
}

/** Whether this and the last month contain every mark that the newest checkpoint does not cover. */
function isRecent({ lab, cached, record }: StoreState): boolean {
  const since = journalIndex(cached).checkpoint?.at ?? cached.get(JOURNAL)?.events[0]?.at;
  const [oldest = ''] = recentMarks(lab.now());
  return record.broken.length === 0 && since !== undefined && `${MARK_PREFIX}${since.slice(0, 7)}-` >= oldest;
}

async function loadOnce(keeping: StoreState, request: FetchRequest | null): Promise<Record> {
  const { lab, config, store, cached, git, marksConfirmed, record } = keeping;
  const view = await store.open(request);
  // Read marks even if the branch did not change: a mark can prove that an entry was appended before the branch was reset.
  const marks = await keeping.marks(requestOf(keeping).marks);
  const isNews = marks.some(({ mark }) => !keeping.knownHashes.has(mark.hash));
  keeping.currentMarks = marks;
  for (const { mark } of marks) noteMark(keeping, mark);
  const checking = { lab, config, git, marks, marksConfirmed: marksConfirmed };
  const isGone = view.ok && view.value === null && marks.length > 0;
  const fault: LogbookFault | null = isGone ? { kind: 'branch-missing' } : view.ok ? null : view.error;
  if (fault !== null)
    keeping.record = recordOfLostBranch(
      record,
      fault,
      null,
      await findGoodFiles(checking, cached, journalIndex(cached)),
    );
  else if (view.ok && (isNews || hasNewHead(view.value, record) || record.broken.some(isReadFailure)))
    keeping.record = await loadRecordAt({ ...checking, store, cached, previous: record }, view.value);
  return keeping.record;
}

function hasNewHead(head: Sha | null, record: Record): boolean {
  return head === null ? record.broken.length === 0 : head !== record.head;
}

type EntryRef = Pick<SeenMark['mark'], 'run' | 'seq' | 'hash'>;

function noteMark({ knownHashes, markedAt }: StoreState, { run, seq, hash }: EntryRef): void {
  knownHashes.add(hash);
  markedAt.set(run, Math.max(seq, markedAt.get(run) ?? -1));
}

async function append(keeping: StoreState, entries: readonly Entry[], at: Instant): Promise<AppendResult> {
  const { lab, store, cached, record } = keeping;
  if (entries.some(({ run }) => record.broken.some((one) => one.run === run || one.run === WHOLE_BRANCH)))
    return { kind: 'failed', message: 'what is there does not verify, so nothing is added' };
  if (entries.some(({ run }) => isTooOldToRead(keeping, run)))
    return { kind: 'failed', message: 'the run is older than those that are read' };
  const composing = composeEntries(keeping, entries, at);
  if (!composing.ok) return { kind: 'failed', message: composing.error.rule };
  const composed = composing.value;
  const marks = createDueMarks(keeping, composed, at);
  const writes = composed.map((one) => buildRunWrite(keeping.git, one, cached.get(one.run)));
  lab.boundary('append', 'before');
  const outcome = await appendOrRefuse(store, {
    base: record.head,
    runs: writes.map(({ write }) => write),
    message: commitMessage(composed),
    atMs: at,
    marks,
  });
  lab.boundary('append', 'after');
  // The push may have succeeded without a response. The next load shows whether the entries were recorded.
  if (outcome.kind === 'rejected' || outcome.kind === 'unknown') return { kind: 'conflict' };
  if (outcome.kind === 'refused') {
    const [run = 'journal'] = entries.map((entry) => entry.run);
    keeping.refusal = { run, after: (cached.get(run)?.events.length ?? 0) - 1, message: outcome.message };
    return outcome;
  }
  keeping.refusal = null;
  for (const { write, after } of writes) cached.set(write.run, after);
  for (const { run, appended } of composed)
    if (marks.some(({ run: marked }) => marked === run)) noteMark(keeping, lastEntryRef(run, appended));
  const { goodFiles } = record;
  keeping.record = { ...buildRecord({ cached, previous: record }, record.broken), goodFiles, head: outcome.sha };
  const seqs = composed.map(({ run, appended }) => [run, appended.map((event) => event.seq)] as const);
  for (const [run, ours] of seqs) for (const seq of ours) ownEntries(keeping, run).add(seq);
  return { kind: 'appended', seqs: new Map(seqs) };
}

function ownEntries({ appended }: Pick<StoreState, 'appended'>, run: string): Set<number> {
  const ours = appended.get(run) ?? new Set();
  appended.set(run, ours);
  return ours;
}

function lastEntryRef(run: string, appended: readonly LogbookEvent[]): EntryRef {
  const last = appended.at(-1);
  if (last === undefined) throw new Error('a mark of nothing');
  return { run, seq: last.seq, hash: last.hash };
}

/** Composes and signs the new entries of every file; stops at the first illegal entry. */
function composeEntries(
  keeping: StoreState,
  entries: readonly Entry[],
  at: Instant,
): Result<readonly ComposedRun[], IllegalDraft> {
  const { lab, config } = keeping;
  const signers = createSigners(lab.signingKeys, config.keys, at);
  const context = { at, signers, keys: config.keys, hash: lab.hash };
  const composed: ComposedRun[] = [];
  for (const { run, drafts } of entries) {
    const before = keeping.cached.get(run);
    const last = before?.events.at(-1);
    const head = last === undefined ? null : { seq: last.seq, hash: last.hash };
    const one = composeAppend({ run, head, state: before?.state ?? null }, drafts, context);
    if (!one.ok) return one;
    composed.push(one.value);
  }
  return ok(composed);
}

async function requireEntry(keeping: StoreState, run: RunId, anchor: Anchor, thread: number): Promise<void> {
  const { store, cached } = keeping;
  if (hasEntry(keeping, run, anchor)) return;
  await load(keeping);
  if (hasEntry(keeping, run, anchor) || keeping.record.broken.some((broken) => broken.run === run)) return;
  if (isTooOldToRead(keeping, run)) return;
  store.remember(run, anchor);
  const state = foldState(cached.get(run)?.events ?? []);
  cached.delete(run);
  const broken: BrokenRun = { run, fault: { kind: 'entry-missing', ...anchor }, state, thread };
  const { record } = keeping;
  const rest = { goodFiles: record.goodFiles, head: record.head };
  keeping.record = { ...buildRecord({ cached, previous: record }, [...record.broken, broken]), ...rest };
}

function isTooOldToRead({ cached, currentMarks }: StoreState, run: RecordName): boolean {
  const index = journalIndex(cached);
  return (
    !cached.has(run) &&
    listFolders(currentMarks, index).has(run) &&
    ![JOURNAL, ...runsToRead(currentMarks, index)].includes(run)
  );
}

function hasEntry({ cached }: StoreState, run: RunId, { seq, hash }: Anchor): boolean {
  return cached.get(run)?.events[seq]?.hash.startsWith(hash) === true;
}

/** If git cannot write locally (full disk), nothing was sent: treat it as a refusal. */
async function appendOrRefuse(store: LogbookStore, request: AppendRequest): Promise<PushOutcome> {
  try {
    return await store.append(request);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'failed') throw error;
    return { kind: 'refused', message: error.message };
  }
}

/** Blocks all actions. The thread of the newest live run gets the notice. */
function recordOfLostBranch(
  before: Record,
  fault: LogbookFault,
  thread: number | null = null,
  good: Record['goodFiles'] = before.goodFiles,
): Record {
  const { lastGood } = before;
  const known = lastGood.length > 0 ? lastGood : [...good.values()].map(({ events }) => foldState(events));
  const runs = known.filter((run) => run !== null);
  const state = runs.find((run) => !isOver(run)) ?? runs[0] ?? null;
  return { ...NOTHING_READ, goodFiles: good, lastGood, broken: [{ run: WHOLE_BRANCH, fault, state, thread }] };
}
