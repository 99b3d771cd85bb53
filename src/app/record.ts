/** The record of a repository as this process holds it: verified runs and the journal at one head of the logbook branch. */

import type { LabConfig } from '../config/schema.ts';
import type { EventDraft, LogbookEvent } from '../domain/event.ts';
import { fold } from '../domain/fold.ts';
import { GitError } from '../domain/git.ts';
import { branded, type Instant, isRunId, type RunId, type Sha } from '../domain/ids.ts';
import { EMPTY_JOURNAL, foldJournal, type JournalState } from '../domain/journal-state.ts';
import { limits } from '../domain/limits.ts';
import type { LogbookFault } from '../domain/logbook-fault.ts';
import { isOver, type RunState } from '../domain/run-state.ts';
import { type ComposedRun, type ComposeFailure, commitMessage, composeAppend } from '../logbook/compose.ts';
import type { Anchor } from '../logbook/ports.ts';
import { JOURNAL } from '../logbook/rules.ts';
import {
  type AppendOutcome,
  type AppendRequest,
  createLogbookStore,
  type LogbookStore,
} from '../logbook/store/git-store.ts';
import { verifyLogbook } from '../logbook/verify.ts';
import { type BrokenRun, brokenByEntry, faultOf, stateAfter, WHOLE_BRANCH } from './broken-run.ts';
import type { Lab, LabGit } from './lab.ts';
import { signersFrom } from './signers.ts';

/** One file as it was read and verified. */
type Held = {
  readonly text: string;
  readonly markdown: string | null;
  readonly events: readonly LogbookEvent[];
};

export type Record = {
  readonly head: Sha | null;
  /** Newest first. */
  readonly runs: readonly RunState[];
  readonly journal: JournalState;
  readonly broken: readonly BrokenRun[];
  /** The runs as they were last read from a branch in order: what a branch that is gone is held against. */
  readonly lastGood: readonly RunState[];
};

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

const NOTHING: Record = { head: null, runs: [], journal: EMPTY_JOURNAL, broken: [], lastGood: [] };

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
  const held = new Map<string, Held>();
  let record: Record = { ...NOTHING, lastGood: before?.lastGood ?? [] };
  let refusal: Refusal | null = null;

  const load = async (isFetched = false): Promise<Record> => {
    const view = await store.open(isFetched);
    if (view.kind === 'incident') {
      record = lost(record, faultOf(view.incident));
      return record;
    }
    if (view.head === null && record.broken.length > 0) return record;
    if (view.head !== null && view.head === record.head) return record;
    record = await loadAt(lab, config, store, held, view.head, record.broken);
    return record;
  };

  const appendTogether = async (entries: readonly Entry[], at: Instant): Promise<AppendResult> => {
    const names: readonly string[] = entries.map(({ run }) => run);
    if (record.broken.some((broken) => broken.run === WHOLE_BRANCH || names.includes(broken.run)))
      return { kind: 'failed', message: 'what is there does not verify, so nothing is added' };
    const context = {
      at,
      signers: signersFrom(lab.signingKeys, config.keys, at),
      keys: config.keys,
      hash: lab.hash,
    };
    const composed: ComposedRun[] = [];
    for (const { run, drafts } of entries) {
      const before = held.get(run);
      const files = { run, text: before?.text ?? null, markdown: before?.markdown ?? null };
      const one = composeAppend(files, drafts, context);
      if (!one.ok) return { kind: 'failed', message: wordsOf(one.error) };
      composed.push(one.value);
    }
    lab.boundary('append', 'before');
    const runs = composed.map(({ run, text, markdown }) => ({ run, text, markdown }));
    const outcome = await sentTo(store, {
      base: record.head,
      runs,
      message: commitMessage(composed),
      atMs: at,
    });
    lab.boundary('append', 'after');
    if (outcome.kind === 'conflict') return outcome;
    // A lost answer is resolved by looking: the next load finds the entries there, or not.
    if (outcome.kind === 'unknown') return { kind: 'conflict' };
    if (outcome.kind === 'refused') {
      const [run = 'journal'] = entries.map((entry) => entry.run);
      refusal = { run, after: (held.get(run)?.events.length ?? 0) - 1, message: outcome.message };
      return outcome;
    }
    refusal = null;
    for (const { run, text, markdown, appended } of composed)
      held.set(run, { text, markdown, events: [...(held.get(run)?.events ?? []), ...appended] });
    record = { ...rebuilt(held, record.broken), head: outcome.head };
    const seqs = names.map(
      (name, index) => [name, (composed[index]?.appended ?? []).map((event) => event.seq)] as const,
    );
    return { kind: 'appended', seqs: new Map(seqs) };
  };
  const append: RecordKeeper['append'] = (run, drafts, at) => appendTogether([{ run, drafts }], at);

  const holds = (run: RunId, { seq, hash }: Anchor): boolean =>
    held.get(run)?.events[seq]?.hash.startsWith(hash) === true;
  const expect = async (run: RunId, anchor: Anchor, thread: number): Promise<void> => {
    if (holds(run, anchor)) return;
    await load();
    if (holds(run, anchor) || record.broken.some((broken) => broken.run === run)) return;
    store.remember(run, anchor);
    const state = stateAfter(held.get(run)?.events ?? []);
    held.delete(run);
    const broken: BrokenRun = { run, fault: { kind: 'entry-missing', ...anchor }, state, thread };
    record = { ...rebuilt(held, [...record.broken, broken]), head: record.head };
  };
  const lose = (thread: number): void => {
    record = lost(record, { kind: 'branch-missing' }, thread);
  };

  const histories = (): readonly (readonly LogbookEvent[])[] =>
    [...held].filter(([name]) => name !== JOURNAL).map(([, { events }]) => events);
  return {
    load,
    append,
    appendTogether,
    current: () => record,
    histories,
    refusal: () => refusal,
    expect,
    lose,
  };
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

/** Nothing may be acted on; the newest run that was under way is the one whose thread hears about it. */
function lost(before: Record, fault: LogbookFault, thread: number | null = null): Record {
  const { lastGood } = before;
  const state = lastGood.find((run) => !isOver(run)) ?? lastGood[0] ?? null;
  return { ...NOTHING, lastGood, broken: [{ run: WHOLE_BRANCH, fault, state, thread }] };
}

/** Runs are named by their date: the newest so many are read, which holds every live one and the last sealed five. */
async function loadAt(
  lab: Lab,
  config: LabConfig,
  store: LogbookStore,
  held: Map<string, Held>,
  head: Sha | null,
  earlier: readonly BrokenRun[],
): Promise<Record> {
  const names = (await store.runs(head))
    .filter(isRunId)
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const broken: BrokenRun[] = [];
  for (const name of [...names.slice(0, limits.runsReadMax), JOURNAL]) {
    const stored = await store.read(head, name);
    if (stored.kind === 'incident') {
      const known = earlier.find((one) => one.run === name);
      const state = stateAfter(held.get(name)?.events ?? []) ?? known?.state ?? null;
      held.delete(name);
      broken.push({ run: name, fault: faultOf(stored.incident), state, thread: known?.thread ?? null });
      continue;
    }
    if (stored.text === null) continue;
    const known = held.get(name);
    if (known?.text === stored.text) {
      // The events stand as they were verified; what people wrote into the Markdown may be new.
      held.set(name, { ...known, markdown: stored.markdown });
      continue;
    }
    const verified = verifyLogbook({
      text: stored.text,
      run: name,
      keys: config.keys,
      anchor: null,
      undecodableLine: null,
      hash: lab.hash,
      verifySignature: lab.verifySignature,
    });
    // A file without an anchor of its own is anchored by the branch's history, which the store checks.
    if (verified.bad !== null && verified.bad.reason !== 'unanchored') {
      held.delete(name);
      broken.push(brokenByEntry(name, verified.bad, verified.events));
      continue;
    }
    if (verified.head !== null) store.remember(name, verified.head);
    held.set(name, { text: stored.text, markdown: stored.markdown, events: verified.events });
  }
  return { ...rebuilt(held, broken), head };
}

function rebuilt(held: ReadonlyMap<string, Held>, broken: readonly BrokenRun[]): Omit<Record, 'head'> {
  const runs = [...held.entries()]
    .filter(([name]) => name !== JOURNAL)
    .map(([name, file]) => stateOf(name, file));
  const journal = foldJournal(held.get(JOURNAL)?.events ?? []);
  const newestFirst = runs.toSorted((a, b) => b.run.localeCompare(a.run, 'en', { numeric: true }));
  return { runs: newestFirst, journal, broken, lastGood: newestFirst };
}

function stateOf(name: string, file: Held): RunState {
  const folded = fold(file.events);
  if (!folded.ok || folded.value === null)
    throw new Error(`the verified logbook of ${branded(name, isRunId)} does not fold`);
  return folded.value;
}
