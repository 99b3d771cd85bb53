/** The logbook in a git branch: read at a head, append several runs in one commit, notice a branch that went back. */

import * as z from 'zod';
import { invariant } from '../../domain/assert.ts';
import type { GitReader, GitWriter } from '../../domain/git.ts';
import type { Sha, TreeId } from '../../domain/ids.ts';
import type { LogbookFault } from '../../domain/logbook/logbook-fault.ts';
import { eventsPath, type GrownFile, markdownPath, monitoringPath } from '../segments.ts';
import { NOT_STORED, type StoredFile, type StoredRun, storedRuns, textsOf } from './stored-runs.ts';

/** The branch as it is now; `head` null: it does not exist, and was never seen to. */
export type LogbookView =
  | { readonly kind: 'view'; readonly head: Sha | null }
  | { readonly kind: 'incident'; readonly fault: LogbookFault };

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

/**
 * `conflict`: somebody else appended first, so open again and decide again. `refused`: the remote said no
 * (a rule, a permission, a full disk). `unknown`: the answer was lost; open again and look for the entries.
 */
export type AppendOutcome =
  | { readonly kind: 'appended'; readonly head: Sha }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

export type LogbookStore = {
  /**
   * Fetches, unless the caller has just done so with the same mirror, and looks at the branch. Throws `GitError` when the
   * remote cannot be read: that is unknown.
   */
  open(isFetched?: boolean): Promise<LogbookView>;
  /** The id of a folder at a head; what has the same id has the same files. */
  treeOf(head: Sha | null, folder: string): Promise<TreeId | null>;
  /** The files in these folders of runs at a head. */
  list(head: Sha | null, folders: readonly string[]): Promise<ReadonlyMap<string, StoredRun>>;
  texts(files: readonly StoredFile[]): Promise<ReadonlyMap<StoredFile, string>>;
  /** How a file with this text is listed. */
  fileOf(text: string): TreeId;
  /** The entry that was remembered of a run and is not there any more. */
  lostFrom(run: string, lines: Lines): Anchor | null;
  /** One commit, one push, all runs or none. */
  append(request: AppendRequest): Promise<AppendOutcome>;
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
  const anchors = createAnchors();
  let seen: Sha | null = null;

  const open = async (isFetched = false): Promise<LogbookView> => {
    if (!isFetched) await reader.fetch();
    const now = await reader.resolve(ref);
    if (now === null) {
      const existed = seen !== null || anchors.any();
      return existed ? { kind: 'incident', fault: { kind: 'branch-missing' } } : { kind: 'view', head: null };
    }
    if (seen !== null && seen !== now && (await reader.mergeBase(seen, now)) !== seen) {
      return { kind: 'incident', fault: { kind: 'branch-rewound', was: seen, now } };
    }
    seen = now;
    return { kind: 'view', head: now };
  };

  const append = async (request: AppendRequest): Promise<AppendOutcome> => {
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
    if (outcome.kind === 'rejected') return { kind: 'conflict' };
    if (outcome.kind !== 'pushed') return outcome;
    seen = outcome.sha;
    for (const { run, head } of request.runs) anchors.remember(run, head);
    return { kind: 'appended', head: outcome.sha };
  };

  return {
    open,
    treeOf: async (head, folder) => (head === null ? null : reader.treeId(head, folder)),
    list: async (head, folders) =>
      head === null || folders.length === 0 ? new Map() : storedRuns(reader, head, folders),
    texts: (files) => textsOf(reader, files),
    fileOf: (text) => reader.blobIdOf(text),
    lostFrom: anchors.lostFrom,
    append,
    remember: anchors.remember,
  };
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
    const end = text.lastIndexOf('\n', text.length - 2) + 1;
    invariant(text.endsWith('\n') && anchorAt(text.slice(end, -1)) !== null, 'logbook-append-is-no-event');
  }
}

/** An entry by number and hash; the hash may be a prefix of at least 12 hex digits when it comes from a card. */
type Anchor = { readonly seq: number; readonly hash: string };

/** A run's files as they stand: the entries that verify, and the lines behind them as they are. */
type Lines = {
  readonly events: readonly Anchor[];
  readonly rest: readonly string[];
};

type Anchors = {
  readonly any: () => boolean;
  readonly remember: (run: string, anchor: Anchor) => void;
  /** The anchored entry that the file does not have; null when none is known. */
  readonly lostFrom: (run: string, lines: Lines) => Anchor | null;
};

/** A memory of anchors, empty at first: it lives as long as the process and is fed again from the cards. */
function createAnchors(): Anchors {
  const known = new Map<string, Anchor>();
  return {
    any: () => known.size > 0,
    remember: (run, anchor) => {
      const before = known.get(run);
      if (before === undefined || before.seq < anchor.seq) known.set(run, anchor);
    },
    lostFrom: (run, lines) => {
      const anchor = known.get(run);
      const found = anchor === undefined ? null : anchorIn(lines, anchor.seq);
      return anchor === undefined || (found?.seq === anchor.seq && found.hash.startsWith(anchor.hash))
        ? null
        : anchor;
    },
  };
}

function anchorIn({ events, rest }: Lines, seq: number): Anchor | null {
  const event = events[seq];
  if (event !== undefined) return { seq: event.seq, hash: event.hash };
  return anchorAt(rest[seq - events.length] ?? '');
}

const entrySchema = z.looseObject({ seq: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** Number and hash of a line, as it says itself; null where it says nothing like that. */
function anchorAt(line: string): Anchor | null {
  if (!line.startsWith('{')) return null;
  try {
    const entry = entrySchema.safeParse(JSON.parse(line));
    return entry.success ? { seq: entry.data.seq, hash: entry.data.hash } : null;
  } catch (error) {
    // A line that is no JSON has no anchor; whoever verifies the file says what is wrong with it.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
