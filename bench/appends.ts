/** What an append and a look cost on a record of any length, on real git: times and ratios side by side, and what a process that begins pays once. */

import type { EventDraft } from '../src/domain/logbook/define.ts';
import { LOGBOOK_FILE_ENTRIES_MAX } from '../src/logbook/segments.ts';
import { commandAnswered, commandSeen, listFerryEvents, observed, RUN } from '../test/logbook/sample-logbook.ts';
import { recordProcess } from '../test/support/record-lab.ts';
import { scratchRemote } from './git-remote.ts';
import { type Result, resultWithoutBar } from './measure.ts';

const TURNS = 5;

type Kind = {
  readonly name: string;
  readonly run: string;
  readonly lengths: readonly number[];
  readonly first: (entries: number) => readonly EventDraft[];
  readonly next: (at: number) => readonly EventDraft[];
};

const asked = (one: number): readonly EventDraft[] => [
  commandSeen(one, 'status'),
  commandAnswered(one, 'status-shown'),
];

const KINDS: readonly Kind[] = [
  {
    name: 'run',
    run: RUN,
    lengths: [10, 1_000, 2_880],
    first: (entries) => listFerryEvents(entries).slice(0, entries),
    next: (at) => [observed(at)],
  },
  {
    name: 'journal',
    run: 'journal',
    lengths: [1_000, 100_000],
    first: (entries) => Array.from({ length: entries / 2 }, (_, index) => asked(index + 1)).flat(),
    next: asked,
  },
];

/** Milliseconds of an append with the look before it, of a look at somebody else's, and of a process that has just begun. */
export async function measureAppends(): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const kind of KINDS) {
    const appends: number[] = [];
    for (const length of kind.lengths) {
      const times = await measureAtLength(kind, length);
      appends.push(times.append);
      results.push(
        resultWithoutBar(`append-${kind.name}-${length}`, times.append, 'ms'),
        resultWithoutBar(`look-${kind.name}-${length}`, times.look, 'ms'),
        resultWithoutBar(`begin-${kind.name}-${length}`, times.begin, 'ms'),
      );
    }
    const [shortest = Number.NaN] = appends;
    results.push(
      resultWithoutBar(`append-${kind.name}-longest`, (appends.at(-1) ?? Number.NaN) / shortest, 'times the shortest'),
    );
  }
  return [...results, resultWithoutBar('entries-per-file', LOGBOOK_FILE_ENTRIES_MAX, 'entries')];
}

async function measureAtLength(
  { run, first, next }: Kind,
  length: number,
): Promise<{ readonly append: number; readonly look: number; readonly begin: number }> {
  const remote = scratchRemote();
  try {
    const [writer, reader] = [recordProcess(remote), recordProcess(remote)];
    await writer.append(run, first(length));
    const begin = await measureMs(() => reader.store.load());
    let append = Number.POSITIVE_INFINITY;
    let look = Number.POSITIVE_INFINITY;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      append = Math.min(append, await measureMs(() => writer.append(run, next(length + turn))));
      look = Math.min(look, await measureMs(() => reader.store.load()));
    }
    return { append, look, begin };
  } finally {
    remote.remove();
  }
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}
