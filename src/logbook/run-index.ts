/** The runs of the record that a process reads: from the journal and the marks, never from the folders that are there. */

import { isRunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import type { Mark } from './mark.ts';
import { JOURNAL } from './rules.ts';
import { folderOf } from './segments.ts';

/** What the journal says about runs: the newest checkpoint, and the proposals that were begun since. */
export type RunIndex = Pick<JournalState, 'checkpoint' | 'begun'>;

/**
 * Selects the runs to read: launched and live ones, then launched and ended ones, then the others; within each group, the
 * lanes' newest in turn. Gates add up the month of a lane, so its newest ended runs are read too. Limits per lane and group
 * keep anyone from crowding out live runs, which the runner's key has marked.
 */
export function runsToRead(
  marks: readonly { readonly mark: Pick<Mark, 'run' | 'role' | 'over'> }[],
  { checkpoint, begun }: RunIndex,
): readonly string[] {
  // The journal also has marks and is read separately.
  const ofRuns = marks.map(({ mark }) => mark).filter(({ run }) => run !== JOURNAL && isRunId(run));
  const ended = [...(checkpoint?.ended.values() ?? [])];
  const covered = [...ended, ...(checkpoint?.live ?? [])];
  const over = new Set([...ended, ...ofRuns.filter((mark) => mark.over === true)].map(({ run }) => run));
  const launched = new Set<string>(
    [...covered.filter((one) => one.launched), ...ofRuns.filter(({ role }) => role === 'runner')].map(
      ({ run }) => run,
    ),
  );
  const known = new Set([...covered.map(({ run }) => run), ...ofRuns.map(({ run }) => run), ...begun.keys()]);
  return [
    ...lanesInTurn([...launched].filter((run) => !over.has(run))).slice(0, limits.liveRunsReadMax),
    ...lanesInTurn(
      [...launched].filter((run) => over.has(run)),
      limits.runsReadMax,
    ).slice(0, limits.liveRunsReadMax),
    ...lanesInTurn([...known].filter((run) => !launched.has(run))).slice(0, limits.runsReadMax),
  ];
}

/** By run: the folders in which it may lie. Of a run that was only begun, the month of its first entry is not known for certain. */
export function foldersIn(
  marks: readonly { readonly mark: Pick<Mark, 'run' | 'began'> }[],
  { checkpoint, begun }: RunIndex,
): ReadonlyMap<string, readonly string[]> {
  const dated = [
    ...(checkpoint?.ended.values() ?? []),
    ...(checkpoint?.live ?? []),
    ...marks.map(({ mark }) => mark),
  ];
  return new Map<string, readonly string[]>([
    ...[...begun].map(([run, at]) => [run, [folderOf(run, at), folderOf(run, monthAfter(at))]] as const),
    ...dated.map(({ run, began }) => [run, [folderOf(run, began)]] as const),
    [JOURNAL, [JOURNAL]],
  ]);
}

function monthAfter(at: string): string {
  const [year = 0, month = 0] = at.split('-', 2).map(Number);
  return new Date(Date.UTC(year, month)).toISOString();
}

function newestFirst(runs: readonly string[]): readonly string[] {
  return runs.toSorted(
    (a, b) => dateIn(b).localeCompare(dateIn(a)) || b.localeCompare(a, 'en', { numeric: true }),
  );
}

/** The newest of every lane, then the second of every lane, and so on. */
function lanesInTurn(runs: readonly string[], eachMax = Number.POSITIVE_INFINITY): readonly string[] {
  const lanes = [...Map.groupBy(newestFirst(runs), (run) => run.replace(DATED, '')).values()];
  const longest = lanes.reduce((most, lane) => Math.max(most, lane.length), 0);
  return Array.from({ length: Math.min(longest, eachMax) }, (_, turn) =>
    lanes.flatMap((lane) => lane[turn] ?? []),
  ).flat();
}

/** Date and number in a run id; lane names may end in digits too. */
const DATED = /-(\d{8})(?:-\d{1,2})?$/;

/** A run without a date is read first. */
function dateIn(run: string): string {
  return DATED.exec(run)?.[1] ?? UNDATED;
}

const UNDATED = '99999999';
