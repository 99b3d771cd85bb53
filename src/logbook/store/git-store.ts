/** The logbook in a git branch: read at a head, append several runs in one commit, notice a branch that went back. */

import { invariant } from '../../domain/assert.ts';
import { GitError, type GitReader, type GitWriter } from '../../domain/git.ts';
import type { Sha } from '../../domain/ids.ts';
import { type Anchor, createAnchors, lastAnchorOf } from './anchors.ts';

/** What is wrong with a branch or file beyond its own entries; action on what it names stops. */
export type StoreIncident =
  /** The branch existed and is missing, or its head no longer follows the head that was seen before. */
  | { readonly kind: 'branch-missing'; readonly was: Sha | null }
  | { readonly kind: 'branch-rewound'; readonly was: Sha; readonly now: Sha }
  /** A file that ends before, or differs at, an entry that was seen there. */
  | {
      readonly kind: 'shorter-than-anchor';
      readonly run: string;
      readonly anchor: Anchor;
      readonly found: Anchor | null;
    };

/** The branch as it is now; `head` null: it does not exist, and was never seen to. */
export type LogbookView =
  | { readonly kind: 'view'; readonly head: Sha | null }
  | { readonly kind: 'incident'; readonly incident: StoreIncident };

/** A run's two files at a head. `text` is not verified yet. */
export type StoredRun =
  | {
      readonly kind: 'files';
      readonly run: string;
      readonly text: string | null;
      readonly markdown: string | null;
    }
  | { readonly kind: 'incident'; readonly incident: StoreIncident };

/**
 * The whole new text of a run's two files; `text` continues what is there, or where that does not verify the longest
 * version of it that did, which is `good`.
 */
export type RunWrite = {
  readonly run: string;
  readonly text: string;
  readonly markdown: string;
  readonly good?: string;
};

export type AppendRequest = {
  /** The head on which the caller decided. */
  readonly base: Sha | null;
  readonly runs: readonly RunWrite[];
  readonly message: string;
  readonly atMs: number;
  /** Marks of the new entries, pushed with them or not at all. */
  readonly marks?: readonly { readonly name: string; readonly message: string }[];
  /** What the commit stands on where the branch is gone (`base` null): a commit that is known to have been its head. */
  readonly onto?: Sha | null;
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
  /** Names of all runs at a head, sorted; the journal is not among them. */
  runs(head: Sha | null): Promise<readonly string[]>;
  read(head: Sha | null, run: string): Promise<StoredRun>;
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

/** The run, or `journal`, whose events stand at this path; null: it is another file. */
export function runAt(path: string): string | null {
  if (path === eventsPath(JOURNAL)) return JOURNAL;
  return /^runs\/([^/]+)\/events\.jsonl$/.exec(path)?.[1] ?? null;
}

/** The journal's name in place of a run's: what belongs to no run. */
const JOURNAL = 'journal';

/** A store over one branch. It keeps anchors, and the texts that were read at the newest head until the next. */
export function createLogbookStore({ reader, writer, branch }: LogbookStoreOptions): LogbookStore {
  const ref = `refs/heads/${branch ?? 'ferrybot/logbook'}`;
  const anchors = createAnchors();
  let seen: Sha | null = null;
  const texts = createTextCache(reader);

  const open = async (isFetched = false): Promise<LogbookView> => {
    if (!isFetched) await reader.fetch();
    const now = await reader.resolve(ref);
    if (now === null) {
      const existed = seen !== null || anchors.any();
      return existed
        ? { kind: 'incident', incident: { kind: 'branch-missing', was: seen } }
        : { kind: 'view', head: null };
    }
    if (seen !== null && seen !== now && (await reader.mergeBase(seen, now)) !== seen) {
      return { kind: 'incident', incident: { kind: 'branch-rewound', was: seen, now } };
    }
    seen = now;
    return { kind: 'view', head: now };
  };

  const read = async (head: Sha | null, run: string): Promise<StoredRun> => {
    const text = await texts.at(head, run);
    const lost = anchors.lostFrom(run, text);
    if (lost !== null) return { kind: 'incident', incident: { kind: 'shorter-than-anchor', run, ...lost } };
    const markdown = head === null ? null : await readMarkdown(reader, head, run);
    return { kind: 'files', run, text, markdown };
  };

  const append = async (request: AppendRequest): Promise<AppendOutcome> => {
    invariant(request.runs.length > 0, 'logbook-append-of-nothing');
    await assertContinues(texts, request);
    const outcome = await writer.commitAndPush({
      ref,
      expected: request.base,
      parent: request.onto ?? 'expected',
      files: filesOf(request),
      message: request.message,
      atMs: request.atMs,
      ...(request.marks === undefined ? {} : { tags: request.marks }),
    });
    if (outcome.kind === 'rejected') return { kind: 'conflict' };
    if (outcome.kind !== 'pushed') return outcome;
    seen = outcome.sha;
    for (const { run, text } of request.runs) anchors.saw(run, text);
    return { kind: 'appended', head: outcome.sha };
  };

  return {
    open,
    runs: async (head) => (head === null ? [] : runsAmong(await reader.listFiles(head, 'runs'))),
    read,
    append,
    remember: anchors.remember,
  };
}

/** Texts of one head at a time: who appends has just read what is there. */
type TextCache = { readonly at: (head: Sha | null, run: string) => Promise<string | null> };

function createTextCache(reader: GitReader): TextCache {
  let of: Sha | null = null;
  const known = new Map<string, string | null>();
  return {
    at: async (head, run) => {
      if (head === null) return null;
      if (head !== of) known.clear();
      of = head;
      const before = known.get(run);
      if (before !== undefined) return before;
      const text = await readEvents(reader, head, run);
      if (head === of) known.set(run, text);
      return text;
    },
  };
}

/** In the place of what nobody reads: a line that never verifies, as the file would not. */
const TOO_LARGE = 'larger than any logbook\n';

/**
 * The text of a run's events at a commit, whatever bytes somebody put there: what is no UTF-8 is replaced, what is too
 * large is not read, and neither verifies.
 */
export async function readEvents(reader: GitReader, commit: Sha, run: string): Promise<string | null> {
  const path = eventsPath(run);
  try {
    return await reader.readText(commit, path);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'unreadable') throw error;
    const blob = await reader.treeId(commit, path);
    if (blob === null) throw error;
    return (await reader.readBlobs([blob])).get(blob) ?? TOO_LARGE;
  }
}

/** It is made anew from the events; what people wrote beside is lost only where it is no text. */
export async function readMarkdown(reader: GitReader, head: Sha, run: string): Promise<string | null> {
  try {
    return await reader.readText(head, markdownPath(run));
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'unreadable') throw error;
    return null;
  }
}

/** The assertion before the write that pairs with the verification after the read: nothing is ever rewritten. */
async function assertContinues(texts: TextCache, { base, runs }: AppendRequest): Promise<void> {
  for (const { run, text, good } of runs) {
    const before = good ?? (await texts.at(base, run)) ?? '';
    invariant(text.length > before.length && text.startsWith(before), 'logbook-append-rewrites');
    invariant(text.endsWith('\n') && lastAnchorOf(text) !== null, 'logbook-append-is-no-event');
  }
}

function filesOf({ base, runs }: AppendRequest): Readonly<Record<string, string>> {
  const files = runs.flatMap(({ run, text, markdown }) => [
    [eventsPath(run), text],
    [markdownPath(run), markdown],
  ]);
  // A checkout that changed line ends would break every hash.
  const attributes = base === null ? [['.gitattributes', '* -text\n']] : [];
  return Object.fromEntries([...attributes, ...files]);
}

function folderOf(run: string): string {
  return run === JOURNAL ? JOURNAL : `runs/${run}`;
}

/** Where a run's file lies. */
export function eventsPath(run: string): string {
  return `${folderOf(run)}/events.jsonl`;
}

/** Where a run's file lies. */
export function markdownPath(run: string): string {
  return `${folderOf(run)}/logbook.md`;
}

function runsAmong(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const run = runAt(path);
    return run === null ? [] : [run];
  });
}
