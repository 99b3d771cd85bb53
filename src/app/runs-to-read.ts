/** Which runs of the record are read: the newest, by the date in their names, and what genuine marks tell of first. */

import { isRunId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { JOURNAL } from '../logbook/rules.ts';
import type { SeenMark } from './record-marks.ts';

/** Runs that a genuine mark tells of come first: whoever pushes folders must not crowd them out. */
export function runsToRead(stored: readonly string[], marks: readonly SeenMark[]): readonly string[] {
  // The journal has marks too, and its name could be a run's: it is read by itself.
  const marked = new Set(marks.map(({ mark }) => mark.run).filter((run) => run !== JOURNAL && isRunId(run)));
  const others = stored.filter((run) => isRunId(run) && run !== JOURNAL && !marked.has(run));
  return [...newestOf([...marked]), ...newestOf(others)];
}

/** Whether a run of this name would have been read beside these, which are all that were. */
export function isWithinReach(run: string, read: readonly string[]): boolean {
  const [oldest = UNDATED] = read.map(dateIn).toSorted();
  return read.length < limits.runsReadMax || dateIn(run) >= oldest;
}

function newestOf(runs: readonly string[]): readonly string[] {
  return runs
    .toSorted((a, b) => dateIn(b).localeCompare(dateIn(a)) || b.localeCompare(a, 'en', { numeric: true }))
    .slice(0, limits.runsReadMax);
}

/** The date that a run is named by, so that the name of its lane does not make it old; one without a date is read first. */
function dateIn(run: string): string {
  return /(?<!\d)(\d{8})(?:-\d+)?$/.exec(run)?.[1] ?? UNDATED;
}

const UNDATED = '99999999';
