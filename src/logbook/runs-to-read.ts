/** Which runs of the record are read: those that were launched and are not over, then the others that were launched, then the rest, of each lane the newest in turn, by the date in their names. */

import { isRunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { Mark } from './mark.ts';
import { JOURNAL } from './rules.ts';

/**
 * Nobody crowds out what must be seen. A run that the runner's key has marked may be live, and no proposal
 * makes one; the runs of one lane hide none of another; and folders that somebody pushed come last.
 */
export function runsToRead(
  stored: readonly string[],
  marks: readonly { readonly mark: Pick<Mark, 'run' | 'role' | 'over'> }[],
): readonly string[] {
  // The journal has marks too, and its name could be a run's: it is read by itself.
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

/** The newest of every lane, then the second of every lane, and so on, of each so many at most. */
function lanesInTurn(runs: readonly string[], eachMax = Number.POSITIVE_INFINITY): readonly string[] {
  const lanes = [...Map.groupBy(newestFirst(runs), (run) => run.replace(DATED, '')).values()];
  const longest = lanes.reduce((most, lane) => Math.max(most, lane.length), 0);
  return Array.from({ length: Math.min(longest, eachMax) }, (_, turn) =>
    lanes.flatMap((lane) => lane[turn] ?? []),
  ).flat();
}

/** The date and the number of a run's name; the name of a lane may end in digits too. */
const DATED = /-(\d{8})(?:-\d{1,2})?$/;

/** The date that a run is named by, so that the name of its lane does not make it old; one without a date is read first. */
function dateIn(run: string): string {
  return DATED.exec(run)?.[1] ?? UNDATED;
}

const UNDATED = '99999999';
