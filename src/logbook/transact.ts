/** All processes append through this: decide on the current record, push, and decide again after a lost race. */

import { invariant } from '../domain/assert.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { AppendResult } from './ports.ts';

/** Drafts for one file. */
export type Entry = { readonly run: RunId | 'journal'; readonly drafts: readonly EventDraft[] };

/** `load` reads the record again. */
export type RecordPort = {
  readonly append: (entries: readonly Entry[], at: Instant) => Promise<AppendResult>;
  readonly load: () => Promise<unknown>;
};

/** The clock dates the events. */
export type Writer<Store extends RecordPort = RecordPort> = {
  readonly store: Store;
  readonly lab: { readonly now: () => Instant };
};

type ReadableRecord = RecordPort & {
  readonly current: () => { readonly runs: readonly RunState[]; readonly journal: JournalState };
};

/** `nothing`: nothing (more) to record. `refused`: not recorded because of the remote, the disk or repeated lost races; try again later. */
export type Recorded =
  /** `seqs`: sequence numbers of the new events by file. */
  | { readonly kind: 'recorded'; readonly seqs: ReadonlyMap<string, readonly number[]> }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Records the result of `decide` in one atomic push; calls it again after each lost race. Throws for illegal events and for a record that
 * does not verify.
 */
export async function transact(
  { store, lab }: Writer,
  decide: () => readonly Entry[] | Promise<readonly Entry[]>,
): Promise<Recorded> {
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const entries = (await decide()).filter(({ drafts }) => drafts.length > 0);
    if (entries.length === 0) return { kind: 'nothing' };
    const result = await store.append(entries, lab.now());
    if (result.kind === 'appended') return { kind: 'recorded', seqs: result.seqs };
    if (result.kind === 'refused') return result;
    if (result.kind === 'failed')
      throw new Error(`${wordsFor(entries)} could not be recorded: ${result.message}`);
    await store.load();
  }
  return { kind: 'refused', message: 'the logbook kept moving' };
}

/** Does nothing if the run does not exist. */
export function transactRun(
  writer: Writer<ReadableRecord>,
  run: RunId,
  decide: (state: RunState) => readonly EventDraft[],
): Promise<Recorded> {
  return transact(writer, () => {
    const state = writer.store.current().runs.find((one) => one.run === run);
    return state === undefined ? [] : [{ run, drafts: decide(state) }];
  });
}

/** Records drafts in the journal. */
export function transactJournal(
  writer: Writer<ReadableRecord>,
  decide: (journal: JournalState) => readonly EventDraft[],
): Promise<Recorded> {
  return transact(writer, () => [{ run: 'journal', drafts: decide(writer.store.current().journal) }]);
}

/** Records decisions only if the record has not changed since; otherwise `nothing`. */
export function recordAsDecided(
  writer: Writer<ReadableRecord>,
  entries: readonly Entry[],
): Promise<Recorded> {
  const record = writer.store.current();
  return transact(writer, () => (writer.store.current() === record ? entries : []));
}

function wordsFor(entries: readonly Entry[]): string {
  const [first] = entries;
  invariant(first !== undefined, 'logbook-append-of-nothing');
  const types = first.drafts.map(({ type }) => type).join(', ');
  return `${types} of ${first.run}${entries.length === 1 ? '' : ` and ${entries.length - 1} more`}`;
}
