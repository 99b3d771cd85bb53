/**
 * The one way into the record: decide on the record as it is, push, and decide again where somebody else was faster. Every
 * process appends through it, so that an append that is refused, fails or loses a race means the same everywhere.
 */

import { invariant } from '../domain/assert.ts';
import type { Instant, RunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { AppendResult } from './ports.ts';

/** What one file of the record gets: a run's, or the journal's. */
export type Entry = { readonly run: RunId | 'journal'; readonly drafts: readonly EventDraft[] };

/** The record as a process keeps it. `load` reads it again. */
export type RecordPort = {
  readonly append: (entries: readonly Entry[], at: Instant) => Promise<AppendResult>;
  readonly load: () => Promise<unknown>;
};

/** A record that is written, and the clock that dates its events. */
export type Writer<Store extends RecordPort = RecordPort> = {
  readonly store: Store;
  readonly lab: { readonly now: () => Instant };
};

type ReadableRecord = RecordPort & {
  readonly current: () => { readonly runs: readonly RunState[]; readonly journal: JournalState };
};

/**
 * `nothing`: there is nothing to record, or not any more. `refused`: nothing was recorded, because the remote or this machine's
 * disk refused it or others kept being faster; the same may be recorded at the next look.
 */
export type Recorded =
  /** `seqs`: sequence numbers of the new events by file. */
  | { readonly kind: 'recorded'; readonly seqs: ReadonlyMap<string, readonly number[]> }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Records what `decide` wants of the record as it is, all of it in one push or nothing. `decide` is asked again after each
 * lost race. Throws where the record may not have these entries: an event that its lifecycle does not allow is a bug, and
 * a record that does not verify has its own incident.
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

/** Records what `decide` wants of one run; nothing where the record has no such run. */
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

/** Records in the journal what `decide` wants of it. */
export function transactJournal(
  writer: Writer<ReadableRecord>,
  decide: (journal: JournalState) => readonly EventDraft[],
): Promise<Recorded> {
  return transact(writer, () => [{ run: 'journal', drafts: decide(writer.store.current().journal) }]);
}

/** Records what was decided on the record as it is now; `nothing` once anything else was recorded: it has to be decided again. */
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
