/** The files of the logbook branch as they were read and verified, and the record that they make together. */

import type { LabConfig } from '../config/schema.ts';
import { branded, isRunId, type Sha } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { LogbookEvent } from '../domain/logbook/event.ts';
import { fold } from '../domain/logbook/fold.ts';
import { EMPTY_JOURNAL, foldJournal, type JournalState } from '../domain/logbook/journal-state.ts';
import type { LogbookFault } from '../domain/logbook/logbook-fault.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { JOURNAL } from '../logbook/rules.ts';
import type { LogbookStore } from '../logbook/store/git-store.ts';
import { verifyLogbook } from '../logbook/verify.ts';
import { type BrokenRun, brokenByEntry, faultOf, stateAfter, WHOLE_BRANCH } from './broken-run.ts';
import type { Lab } from './lab.ts';

/** One file as it was read and verified. */
export type Held = {
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

/** Before anything was read. */
export const NOTHING_READ: Record = {
  head: null,
  runs: [],
  journal: EMPTY_JOURNAL,
  broken: [],
  lastGood: [],
};

/**
 * Reads and verifies what changed, into `held`. Runs are named by their date: the newest so many are read, which holds
 * every live one and the last sealed five.
 */
export async function loadAt(
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

/** What the verified files say together; the caller adds the head at which they were read. */
export function rebuilt(held: ReadonlyMap<string, Held>, broken: readonly BrokenRun[]): Omit<Record, 'head'> {
  const runs = [...held.entries()]
    .filter(([name]) => name !== JOURNAL)
    .map(([name, file]) => stateOf(name, file));
  const journal = foldJournal(held.get(JOURNAL)?.events ?? []);
  const newestFirst = runs.toSorted((a, b) => b.run.localeCompare(a.run, 'en', { numeric: true }));
  return { runs: newestFirst, journal, broken, lastGood: newestFirst };
}

/** Nothing may be acted on; the newest run that was under way is the one whose thread hears about it. */
export function lost(before: Record, fault: LogbookFault, thread: number | null = null): Record {
  const { lastGood } = before;
  const state = lastGood.find((run) => !isOver(run)) ?? lastGood[0] ?? null;
  return { ...NOTHING_READ, lastGood, broken: [{ run: WHOLE_BRANCH, fault, state, thread }] };
}

function stateOf(name: string, file: Held): RunState {
  const folded = fold(file.events);
  if (!folded.ok || folded.value === null)
    throw new Error(`the verified logbook of ${branded(name, isRunId)} does not fold`);
  return folded.value;
}
