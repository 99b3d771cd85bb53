/** The logbook in a git branch: read at a head, append several runs in one commit, notice a branch that went back. */

import { GitError, type GitReader, type GitWriter, type PushOutcome } from '../../domain/git.ts';
import type { LogbookFault } from '../../domain/logbook/logbook-fault.ts';
import { fail, invariant, ok, type Result, type Sha, type TreeId } from '../../domain/values.ts';
import { type Anchor, decodeLine } from '../chain.ts';
import { eventsPath, type GrownFile, markdownPath, monitoringPath, monthIn, placeAt } from '../segments.ts';

/** One file of events: its content, or why there is none. */
export type StoredFile = TreeId | 'missing' | 'unreadable';

/** A run's files. `events`: in their order, as far as they are numbered without a gap; none where there is no run. */
export type StoredRun = {
  readonly events: readonly StoredFile[];
  /** Numbers of files behind a gap. */
  readonly apart: readonly number[];
};

export const NOT_STORED: StoredRun = { events: [], apart: [] };

/** In the place of what nobody reads: a line that never verifies, as the file would not. */
const UNREADABLE = 'larger than any logbook\n';

/** A folder and its id; null where there is none, or where the id is not known. */
export type StoredFolder = { readonly folder: string; readonly tree: TreeId | null };

/** All runs that have a folder, and the first moment of the month in which it lies. */
export async function storedMonths(reader: GitReader, head: Sha): Promise<ReadonlyMap<string, string>> {
  let folders: readonly string[] = ['runs'];
  for (let level = 0; level < 3; level += 1) {
    const entries = await reader.entriesIn(head, folders);
    folders = entries.flatMap(({ type, path }) => (type === 'tree' ? [path] : []));
  }
  const months = folders.map((folder) => [folder, monthIn(folder)?.replace('/', '-')] as const);
  return new Map(
    months.flatMap(([folder, month]) =>
      month === undefined ? [] : [[folder.slice(folder.lastIndexOf('/') + 1), `${month}-01T00:00:00.000Z`]],
    ),
  );
}

/** The files in these folders of runs, in one question. */
export async function storedRuns(
  reader: GitReader,
  head: Sha,
  folders: readonly string[],
): Promise<ReadonlyMap<string, StoredRun>> {
  try {
    return await listed(reader, head, folders);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'unreadable') throw error;
    if (folders.length === 1)
      return new Map(folders.map((folder) => [folder, { ...NOT_STORED, events: ['unreadable'] as const }]));
  }
  // Somebody put more into one folder than can be listed: that is the trouble of one run.
  const found = new Map<string, StoredRun>();
  for (const folder of folders)
    for (const [name, stored] of await storedRuns(reader, head, [folder])) found.set(name, stored);
  return found;
}

async function listed(
  reader: GitReader,
  head: Sha,
  folders: readonly string[],
): Promise<ReadonlyMap<string, StoredRun>> {
  const parts = new Map<string, Map<number, TreeId>>(folders.map((folder) => [folder, new Map()]));
  for (const { path, type, id } of await reader.entriesIn(head, folders)) {
    const place = type === 'blob' ? placeAt(path) : null;
    if (place !== null) parts.get(place.folder)?.set(place.part, id);
  }
  return new Map([...parts].map(([folder, ids]) => [folder, inOrder(ids)]));
}

function inOrder(parts: ReadonlyMap<number, TreeId>): StoredRun {
  const events: StoredFile[] = [];
  for (let part = 1; events.length < parts.size; part += 1) {
    const id = parts.get(part);
    if (id === undefined)
      return { events: [...events, 'missing'], apart: [...parts.keys()].filter((one) => one > part) };
    events.push(id);
  }
  return { events, apart: [] };
}

/** The texts of files, whatever bytes somebody put there: what is no UTF-8 is replaced, what is too large is not read. */
export async function textsOf(
  reader: Pick<GitReader, 'readBlobs'>,
  files: readonly StoredFile[],
): Promise<ReadonlyMap<StoredFile, string>> {
  const ids = new Set(files.filter((file): file is TreeId => file !== 'missing' && file !== 'unreadable'));
  const texts = ids.size === 0 ? new Map<TreeId, string>() : await reader.readBlobs([...ids]);
  const found = new Map<StoredFile, string>([['missing', '']]);
  for (const file of files) if (!found.has(file)) found.set(file, texts.get(file as TreeId) ?? UNREADABLE);
  return found;
}

/** The texts of the files of events in a run's folder at any commit; none where it has no such run. */
export async function readEvents(reader: GitReader, commit: Sha, folder: string): Promise<readonly string[]> {
  const { events } = (await storedRuns(reader, commit, [folder])).get(folder) ?? NOT_STORED;
  const texts = await textsOf(reader, events);
  return events.map((file) => texts.get(file) ?? '');
}

/** What becomes of a run's files. Each text of events continues what stands there, which is read again before the push. */
export type RunWrite = {
  readonly run: string;
  readonly folder: string;
  readonly events: readonly GrownFile[];
  /** By number. */
  readonly markdown: ReadonlyMap<number, string>;
  /** The policy's state file, written with each append, whatever stands there; null: there is no job yet. */
  readonly monitoring: string | null;
  /** The newest entry with it. */
  readonly head: Anchor;
  /** The run has no entry yet: what somebody put in its place goes. */
  readonly isNew: boolean;
};

export type AppendRequest = {
  /** The head on which the caller decided. */
  readonly base: Sha | null;
  readonly runs: readonly RunWrite[];
  readonly message: string;
  readonly atMs: number;
  /** Marks of the new entries, pushed with them or not at all. */
  readonly marks?: readonly { readonly name: string; readonly message: string }[];
};

export type LogbookStore = {
  /**
   * Fetches, unless the caller has just done so with the same mirror, and returns the head of the branch; null: it does not exist, and was
   * never seen to. Throws `GitError` when the remote cannot be read: that is unknown.
   */
  open(isFetched?: boolean): Promise<Result<Sha | null, LogbookFault>>;
  /** The entry that was remembered of a run and is not among these; its hash may be a prefix. */
  lostFrom(file: { readonly run: string; readonly events: readonly Anchor[] }): Anchor | null;
  /** One commit, one push, all runs or none. After `rejected` and `unknown`, open again and look for the entries. */
  append(request: AppendRequest): Promise<PushOutcome>;
  /**
   * An entry that is known to have been there, from a card, a check run, a tag, or a file that was read and
   * verified: a file without it is an incident from now on.
   */
  remember(run: string, anchor: Anchor): void;
};

export type LogbookStoreOptions = {
  readonly reader: GitReader;
  readonly writer: GitWriter;
  /** Without `refs/heads/`; `ferrybot/logbook` by default. */
  readonly branch?: string;
};

/** A store over one branch. It keeps anchors, and the newest head that it saw. */
export function createLogbookStore({ reader, writer, branch }: LogbookStoreOptions): LogbookStore {
  const ref = `refs/heads/${branch ?? 'ferrybot/logbook'}`;
  const anchors = new Map<string, Anchor>();
  let seen: Sha | null = null;

  const open: LogbookStore['open'] = async (isFetched = false) => {
    if (!isFetched) await reader.fetch();
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
    const files = await filesOf(reader, request);
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
 * What the commit changes. Here is the assertion before the write that pairs with the verification after the read: nothing
 * is ever rewritten, and nothing is put behind what nobody has read.
 */
async function filesOf(
  reader: GitReader,
  { base, runs }: AppendRequest,
): Promise<Readonly<Record<string, string | null>>> {
  const folders = runs.map(({ folder }) => folder);
  const stored = base === null ? new Map<string, StoredRun>() : await storedRuns(reader, base, folders);
  const continued = runs.flatMap((write) =>
    write.isNew ? [] : (stored.get(write.folder)?.events.slice(-1) ?? []),
  );
  const texts = await textsOf(reader, continued);
  // A checkout that changed line ends would break every hash.
  const files: Record<string, string | null> = base === null ? { '.gitattributes': '* -text\n' } : {};
  for (const write of runs) {
    const there = stored.get(write.folder) ?? NOT_STORED;
    const { events, apart } = there;
    if (write.isNew)
      for (const part of [...events.keys().map((index) => index + 1), ...apart])
        files[eventsPath(write.folder, part)] = null;
    const [parts, last] = write.isNew
      ? [0, '']
      : [events.length, texts.get(events.at(-1) ?? 'missing') ?? ''];
    assertContinues(write, parts, last);
    for (const { part, text } of write.events) files[eventsPath(write.folder, part)] = text;
    for (const [part, text] of write.markdown) files[markdownPath(write.folder, part)] = text;
    if (write.monitoring !== null) files[monitoringPath(write.folder)] = write.monitoring;
  }
  return files;
}

function assertContinues({ events }: RunWrite, parts: number, last: string): void {
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
