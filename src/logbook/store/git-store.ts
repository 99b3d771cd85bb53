/** The logbook in a git branch: reads it at a head, appends to several runs in one commit, and detects a rewound branch. */

import { type FetchRequest, GitError, type GitReader, type GitWriter, type PushOutcome } from '../../domain/git.ts';
import type { LogbookFault } from '../../domain/logbook/logbook-fault.ts';
import { fail, invariant, ok, type Result, type Sha, type TreeId } from '../../domain/values.ts';
import { type Anchor, decodeLine } from '../chain.ts';
import {
  eventsPath,
  type GrownFile,
  markdownPath,
  monitoringPath,
  monthOfFolder,
  parseRecordPath,
} from '../segments.ts';

/** The default of `logbook.branch` in the config. */
export const LOGBOOK_BRANCH = 'ferrybot/logbook';

/** One event file: its blob, or why it cannot be read. */
export type StoredFile = TreeId | 'missing' | 'unreadable';

/** A run's files. `events`: in order up to the first missing number; empty without a run. */
export type StoredRun = {
  readonly events: readonly StoredFile[];
  /** Numbers of files after a missing one. */
  readonly afterGap: readonly number[];
};

export const NOT_STORED: StoredRun = { events: [], afterGap: [] };

/** Text of an unreadable file. The line never verifies. */
const UNREADABLE = 'larger than any logbook\n';

/** A folder and its tree id; null if there is none or it is unknown. */
export type StoredFolder = { readonly folder: string; readonly tree: TreeId | null };

/** All runs with a folder, and the start of the folder's month as RFC 3339. */
export async function readStoredMonths(reader: GitReader, head: Sha): Promise<ReadonlyMap<string, string>> {
  let folders: readonly string[] = ['runs'];
  for (let level = 0; level < 3; level += 1) {
    const entries = await reader.entriesIn(head, folders);
    folders = entries.flatMap(({ type, path }) => (type === 'tree' ? [path] : []));
  }
  const months = folders.map((folder) => [folder, monthOfFolder(folder)?.replace('/', '-')] as const);
  return new Map(
    months.flatMap(([folder, month]) =>
      month === undefined ? [] : [[folder.slice(folder.lastIndexOf('/') + 1), `${month}-01T00:00:00.000Z`]],
    ),
  );
}

/** The event files in these run folders, in one git query. */
export async function listStoredRuns(
  reader: GitReader,
  head: Sha,
  folders: readonly string[],
): Promise<ReadonlyMap<string, StoredRun>> {
  try {
    return await listFolderParts(reader, head, folders);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'unreadable') throw error;
    if (folders.length === 1)
      return new Map(folders.map((folder) => [folder, { ...NOT_STORED, events: ['unreadable'] as const }]));
  }
  // One folder has too many files to list. Query each folder separately, so that only that run fails.
  const found = new Map<string, StoredRun>();
  for (const folder of folders)
    for (const [name, stored] of await listStoredRuns(reader, head, [folder])) found.set(name, stored);
  return found;
}

async function listFolderParts(
  reader: GitReader,
  head: Sha,
  folders: readonly string[],
): Promise<ReadonlyMap<string, StoredRun>> {
  const parts = new Map<string, Map<number, TreeId>>(folders.map((folder) => [folder, new Map()]));
  for (const { path, type, id } of await reader.entriesIn(head, folders)) {
    const place = type === 'blob' ? parseRecordPath(path) : null;
    if (place !== null) parts.get(place.folder)?.set(place.part, id);
  }
  return new Map([...parts].map(([folder, ids]) => [folder, toStoredRun(ids)]));
}

function toStoredRun(parts: ReadonlyMap<number, TreeId>): StoredRun {
  const events: StoredFile[] = [];
  for (let part = 1; events.length < parts.size; part += 1) {
    const id = parts.get(part);
    if (id === undefined)
      return { events: [...events, 'missing'], afterGap: [...parts.keys()].filter((one) => one > part) };
    events.push(id);
  }
  return { events, afterGap: [] };
}

/** The texts of files with untrusted content. Replaces invalid UTF-8; a file that is too large gives `UNREADABLE`. */
export async function readTexts(
  reader: Pick<GitReader, 'readBlobs'>,
  files: readonly StoredFile[],
): Promise<ReadonlyMap<StoredFile, string>> {
  const ids = new Set(files.filter((file): file is TreeId => file !== 'missing' && file !== 'unreadable'));
  const texts = ids.size === 0 ? new Map<TreeId, string>() : await reader.readBlobs([...ids]);
  const found = new Map<StoredFile, string>([['missing', '']]);
  for (const file of files) if (!found.has(file)) found.set(file, texts.get(file as TreeId) ?? UNREADABLE);
  return found;
}

/** The texts of a run's event files at a commit; empty if the commit lacks the folder. */
export async function readEvents(reader: GitReader, commit: Sha, folder: string): Promise<readonly string[]> {
  const { events } = (await listStoredRuns(reader, commit, [folder])).get(folder) ?? NOT_STORED;
  const texts = await readTexts(reader, events);
  return events.map((file) => texts.get(file) ?? '');
}

/** New content of a run's files. Each event text extends the stored one, which `append` reads again before the push. */
export type RunWrite = {
  readonly run: string;
  readonly folder: string;
  readonly events: readonly GrownFile[];
  /** By file number. */
  readonly markdown: ReadonlyMap<number, string>;
  /** The policy's state file, overwritten by each append; null before the first job. */
  readonly monitoring: string | null;
  /** The newest entry after the write. */
  readonly head: Anchor;
  /** The run has no entry yet; foreign event files in its folder are deleted. */
  readonly isNew: boolean;
};

export type AppendRequest = {
  /** The head that the caller's decision is based on. */
  readonly base: Sha | null;
  readonly runs: readonly RunWrite[];
  readonly message: string;
  readonly atMs: number;
  /** Marks of the new entries, pushed atomically with them. */
  readonly marks?: readonly { readonly name: string; readonly message: string }[];
};

export type LogbookStore = {
  /**
   * Fetches, unless the caller has just fetched with the same mirror (null), and returns the branch's head. Null: the branch does not exist
   * and was never seen. Throws `GitError` if the remote cannot be read, so the head is unknown.
   */
  open(request?: FetchRequest | null): Promise<Result<Sha | null, LogbookFault>>;
  /** The run's remembered entry if `events` lacks it, or null. Its hash may be a prefix. */
  lostFrom(file: { readonly run: string; readonly events: readonly Anchor[] }): Anchor | null;
  /** Pushes one commit with all runs, or nothing. After `rejected` or `unknown`, open again and search for the entries. */
  append(request: AppendRequest): Promise<PushOutcome>;
  /**
   * Remembers an entry that existed according to a card, a check run, a tag, or a verified file. A file without it is an
   * incident from now on.
   */
  remember(run: string, anchor: Anchor): void;
};

export type LogbookStoreOptions = {
  readonly reader: GitReader;
  readonly writer: GitWriter;
  /** Without `refs/heads/`; `ferrybot/logbook` by default. */
  readonly branch?: string;
};

/** A store for one branch. It remembers anchors and the newest head. */
export function createLogbookStore({ reader, writer, branch }: LogbookStoreOptions): LogbookStore {
  const ref = `refs/heads/${branch ?? LOGBOOK_BRANCH}`;
  const anchors = new Map<string, Anchor>();
  let seen: Sha | null = null;

  const open: LogbookStore['open'] = async (request = { record: { branch: ref, marks: [] } }) => {
    if (request !== null) await reader.fetch(request);
    const now = await reader.resolve(ref);
    if (now === null) {
      return seen !== null || anchors.size > 0 ? fail({ kind: 'branch-missing' }) : ok(null);
    }
    if (seen !== null && seen !== now && (await reader.mergeBase(seen, now)) !== seen) {
      return fail({ kind: 'branch-rewound', was: seen, now });
    }
    seen = now;
    return ok(now);
  };

  const remember = (run: string, anchor: Anchor): void => {
    if ((anchors.get(run)?.seq ?? -1) < anchor.seq) anchors.set(run, anchor);
  };

  const append = async (request: AppendRequest): Promise<PushOutcome> => {
    invariant(request.runs.length > 0, 'logbook-append-of-nothing');
    const files = await buildFiles(reader, request);
    const outcome = await writer.commitAndPush({
      ref,
      expected: request.base,
      parent: 'expected',
      files,
      message: request.message,
      atMs: request.atMs,
      ...(request.marks === undefined ? {} : { tags: request.marks }),
    });
    if (outcome.kind !== 'pushed') return outcome;
    seen = outcome.sha;
    for (const { run, head } of request.runs) remember(run, head);
    return outcome;
  };

  const lostFrom: LogbookStore['lostFrom'] = ({ run, events }) => {
    const anchor = anchors.get(run) ?? null;
    return anchor !== null && events[anchor.seq]?.hash.startsWith(anchor.hash) === true ? null : anchor;
  };

  return { open, lostFrom, append, remember };
}

/**
 * The files that the commit changes. Asserts before the write what verification checks after a read: no entry is rewritten,
 * and each new entry follows one that was read.
 */
async function buildFiles(
  reader: GitReader,
  { base, runs }: AppendRequest,
): Promise<Readonly<Record<string, string | null>>> {
  const folders = runs.map(({ folder }) => folder);
  const stored = base === null ? new Map<string, StoredRun>() : await listStoredRuns(reader, base, folders);
  const continued = runs.flatMap((write) => (write.isNew ? [] : (stored.get(write.folder)?.events.slice(-1) ?? [])));
  const texts = await readTexts(reader, continued);
  // A checkout that converts line endings would break every hash.
  const files: Record<string, string | null> = base === null ? { '.gitattributes': '* -text\n' } : {};
  for (const write of runs) {
    const there = stored.get(write.folder) ?? NOT_STORED;
    const { events, afterGap } = there;
    if (write.isNew)
      for (const part of [...events.keys().map((index) => index + 1), ...afterGap])
        files[eventsPath(write.folder, part)] = null;
    const [parts, last] = write.isNew ? [0, ''] : [events.length, texts.get(events.at(-1) ?? 'missing') ?? ''];
    assertContinuesFile(write, parts, last);
    for (const { part, text } of write.events) files[eventsPath(write.folder, part)] = text;
    for (const [part, text] of write.markdown) files[markdownPath(write.folder, part)] = text;
    if (write.monitoring !== null) files[monitoringPath(write.folder)] = write.monitoring;
  }
  return files;
}

function assertContinuesFile({ events }: RunWrite, parts: number, last: string): void {
  const [first] = events;
  const isInLast = first?.part === Math.max(parts, 1);
  const before = isInLast ? last : '';
  const isBehind = isInLast || first?.part === parts + 1;
  // rule HR-19
  invariant(isBehind && first?.before === before, 'logbook-append-rewrites');
  for (const { before: was, text } of events) {
    invariant(text.length > was.length && text.startsWith(was), 'logbook-append-rewrites');
    const last = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
    invariant(last.endsWith('\n') && decodeLine(last.slice(0, -1)).ok, 'logbook-append-is-no-event');
  }
}
