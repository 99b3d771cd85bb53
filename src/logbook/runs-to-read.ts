/** Selects the runs that a process reads. */

import { isRunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { Mark } from './mark.ts';
import { JOURNAL } from './rules.ts';

/**
 * Selects the runs to read: launched and live ones, then launched and ended ones, then proposed ones, then unmarked folders; within each
 * group, the lanes' newest in turn. Limits per lane and group keep anyone from crowding out live runs, which the runner's key has marked.
 */
export function runsToRead(
  stored: readonly string[],
  marks: readonly { readonly mark: Pick<Mark, 'run' | 'role' | 'over'> }[],
): readonly string[] {
  // The journal also has marks and is read separately.
  const isOfRun = (run: string): boolean => run !== JOURNAL && isRunId(run);
  const ofRuns = marks.map(({ mark }) => mark).filter(({ run }) => isOfRun(run));
  const marked = new Set(ofRuns.map(({ run }) => run));
  const launched = new Set(ofRuns.filter(({ role }) => role === 'runner').map(({ run }) => run));
  const over = new Set(ofRuns.filter((mark) => mark.over === true).map(({ run }) => run));
  const proposed = [...marked].filter((run) => !launched.has(run));
  const others = stored.filter((run) => isOfRun(run) && !marked.has(run));
  return [
    ...lanesInTurn([...launched].filter((run) => !over.has(run))).slice(0, limits.liveRunsReadMax),
    ...lanesInTurn(
      [...launched].filter((run) => over.has(run)),
      limits.runsReadMax,
    ).slice(0, limits.liveRunsReadMax),
    ...lanesInTurn(proposed).slice(0, limits.runsReadMax),
    ...newestFirst(others).slice(0, limits.runsReadMax),
  ];
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
