/** The record of a repository as this process keeps it: loads it at one head of the logbook branch and appends on top of that. */

import type { LabConfig } from '../config/schema.ts';
import { GitError } from '../domain/git.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import type { EventDraft, LogbookEvent } from '../domain/logbook/event.ts';
import { ok, type Result } from '../domain/result.ts';
import { type ComposedRun, type ComposeFailure, commitMessage, composeAppend } from '../logbook/compose.ts';
import type { Anchor } from '../logbook/ports.ts';
import { JOURNAL } from '../logbook/rules.ts';
import {
  type AppendOutcome,
  type AppendRequest,
  createLogbookStore,
  type LogbookStore,
} from '../logbook/store/git-store.ts';
import { type BrokenRun, faultOf, stateAfter, WHOLE_BRANCH } from './broken-run.ts';
import type { Lab, LabGit } from './lab.ts';
import { type Held, loadAt, lost, NOTHING_READ, type Record, rebuilt } from './record-files.ts';
import { signersFrom } from './signers.ts';

export type AppendResult =
  /** `seqs`: sequence numbers of the new events by file. */
  | { readonly kind: 'appended'; readonly seqs: ReadonlyMap<string, readonly number[]> }
  | { readonly kind: 'conflict' }
  /** Nothing was added, and nothing is wrong with what is there: the remote or this machine's disk said no. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** A run's file, or the repository journal. */
export type RecordName = RunId | 'journal';

/** What one file gets. */
export type Entry = { readonly run: RecordName; readonly drafts: readonly EventDraft[] };

/** The newest append that was refused; `after` is the newest entry of the run that stands, -1 where there is none. */
export type Refusal = {
  readonly run: RecordName;
  readonly after: number;
  readonly message: string;
};

export type RecordKeeper = {
  /** Fetches, unless that was just done, and verifies; files that did not change are not verified again. */
  readonly load: (isFetched?: boolean) => Promise<Record>;
  /** Appends to one run on top of what was loaded last. */
  readonly append: (run: RecordName, drafts: readonly EventDraft[], at: Instant) => Promise<AppendResult>;
  /** Appends to several files in one push: all of it is recorded, or nothing. */
  readonly appendTogether: (entries: readonly Entry[], at: Instant) => Promise<AppendResult>;
  readonly current: () => Record;
  /** The verified events of every run, for those who replay them. */
  readonly histories: () => readonly (readonly LogbookEvent[])[];
  /** Null once an append went through again. */
  readonly refusal: () => Refusal | null;
  /** An entry that our own card tells of: loads again, and takes the run out of action where it is not there. */
  readonly expect: (run: RunId, anchor: Anchor, thread: number) => Promise<void>;
  /** Takes everything out of action: the branch is missing, and this thread shows that it existed. */
  readonly lose: (thread: number) => void;
};

/** What a keeper holds: `record` and `refusal` are replaced as a whole. */
type Keeping = {
  readonly lab: Lab;
  readonly config: LabConfig;
  readonly store: LogbookStore;
  readonly held: Map<string, Held>;
  record: Record;
  refusal: Refusal | null;
};

/** Keeps the record of one repository under one config; `before` is what an earlier keeper saw, so that nothing it saw may be gone. */
export function createRecordKeeper(
  lab: Lab,
  config: LabConfig,
  git: LabGit,
  before: Record | null,
): RecordKeeper {
  const store = createLogbookStore({ reader: git, writer: git, branch: config.logbookBranch });
  for (const run of before?.lastGood ?? []) store.remember(run.run, run.head);
  if (before !== null && before.journal.head !== null) store.remember(JOURNAL, before.journal.head);
  const record = { ...NOTHING_READ, lastGood: before?.lastGood ?? [] };
  const keeping: Keeping = { lab, config, store, held: new Map(), record, refusal: null };
  return {
    load: (isFetched = false) => load(keeping, isFetched),
    append: (run, drafts, at) => appendTogether(keeping, [{ run, drafts }], at),
    appendTogether: (entries, at) => appendTogether(keeping, entries, at),
    current: () => keeping.record,
    histories: () => [...keeping.held].filter(([name]) => name !== JOURNAL).map(([, { events }]) => events),
    refusal: () => keeping.refusal,
    expect: (run, anchor, thread) => expectEntry(keeping, run, anchor, thread),
    lose: (thread) => {
      keeping.record = lost(keeping.record, { kind: 'branch-missing' }, thread);
    },
  };
}

async function load(keeping: Keeping, isFetched = false): Promise<Record> {
  const { lab, config, store, held } = keeping;
  const view = await store.open(isFetched);
  if (view.kind === 'incident') keeping.record = lost(keeping.record, faultOf(view.incident));
  else if (view.head === null ? keeping.record.broken.length === 0 : view.head !== keeping.record.head)
    keeping.record = await loadAt(lab, config, store, held, view.head, keeping.record.broken);
  return keeping.record;
}

async function appendTogether(
  keeping: Keeping,
  entries: readonly Entry[],
  at: Instant,
): Promise<AppendResult> {
  const { lab, store, held } = keeping;
  const names: readonly string[] = entries.map(({ run }) => run);
  if (keeping.record.broken.some((broken) => broken.run === WHOLE_BRANCH || names.includes(broken.run)))
    return { kind: 'failed', message: 'what is there does not verify, so nothing is added' };
  const composing = composeAll(keeping, entries, at);
  if (!composing.ok) return { kind: 'failed', message: wordsOf(composing.error) };
  const composed = composing.value;
  lab.boundary('append', 'before');
  const outcome = await sentTo(store, {
    base: keeping.record.head,
    runs: composed.map(({ run, text, markdown }) => ({ run, text, markdown })),
    message: commitMessage(composed),
    atMs: at,
  });
  lab.boundary('append', 'after');
  if (outcome.kind === 'conflict') return outcome;
  // A lost answer is resolved by looking: the next load finds the entries there, or not.
  if (outcome.kind === 'unknown') return { kind: 'conflict' };
  if (outcome.kind === 'refused') {
    const [run = 'journal'] = entries.map((entry) => entry.run);
    keeping.refusal = { run, after: (held.get(run)?.events.length ?? 0) - 1, message: outcome.message };
    return outcome;
  }
  keeping.refusal = null;
  for (const { run, text, markdown, appended } of composed)
    held.set(run, { text, markdown, events: [...(held.get(run)?.events ?? []), ...appended] });
  keeping.record = { ...rebuilt(held, keeping.record.broken), head: outcome.head };
  const seqs = names.map(
    (name, index) => [name, (composed[index]?.appended ?? []).map((event) => event.seq)] as const,
  );
  return { kind: 'appended', seqs: new Map(seqs) };
}

/** Every file with its new entries, signed; the first that may not have them ends it. */
function composeAll(
  { lab, config, held }: Keeping,
  entries: readonly Entry[],
  at: Instant,
): Result<readonly ComposedRun[], ComposeFailure> {
  const signers = signersFrom(lab.signingKeys, config.keys, at);
  const context = { at, signers, keys: config.keys, hash: lab.hash };
  const composed: ComposedRun[] = [];
  for (const { run, drafts } of entries) {
    const before = held.get(run);
    const files = { run, text: before?.text ?? null, markdown: before?.markdown ?? null };
    const one = composeAppend(files, drafts, context);
    if (!one.ok) return one;
    composed.push(one.value);
  }
  return ok(composed);
}

async function expectEntry(keeping: Keeping, run: RunId, anchor: Anchor, thread: number): Promise<void> {
  const { store, held } = keeping;
  if (isHeld(keeping, run, anchor)) return;
  await load(keeping);
  if (isHeld(keeping, run, anchor) || keeping.record.broken.some((broken) => broken.run === run)) return;
  store.remember(run, anchor);
  const state = stateAfter(held.get(run)?.events ?? []);
  held.delete(run);
  const broken: BrokenRun = { run, fault: { kind: 'entry-missing', ...anchor }, state, thread };
  const { record } = keeping;
  keeping.record = { ...rebuilt(held, [...record.broken, broken]), head: record.head };
}

function isHeld({ held }: Keeping, run: RunId, { seq, hash }: Anchor): boolean {
  return held.get(run)?.events[seq]?.hash.startsWith(hash) === true;
}

/** Git that cannot write on this machine (a full disk) has sent nothing, as if the remote had refused. */
async function sentTo(store: LogbookStore, request: AppendRequest): Promise<AppendOutcome> {
  try {
    return await store.append(request);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'failed') throw error;
    return { kind: 'refused', message: error.message };
  }
}

function wordsOf(failure: ComposeFailure): string {
  return failure.kind === 'illegal' ? failure.rule : failure.bad.message;
}
