/** Which runs a process reads of a record with several lanes, and that nobody can hide one behind others. */

import { describe, expect, it } from 'vitest';
import type { SeenMark } from '../../src/app/record-marks.ts';
import { runsToRead } from '../../src/logbook/runs-to-read.ts';

const day = (number: number): string => `202611${String(number).padStart(2, '0')}`;
const days = (lane: string, from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `ferry-${lane}-${day(from + index)}`);
// Of a mark only the name of its run, and who wrote it, decide here.
const marked = (runs: readonly string[], role = 'control'): readonly SeenMark[] =>
  runs.map((run) => ({ mark: { run, role } }) as unknown as SeenMark);

describe('the runs that are read', () => {
  it('are the newest by their date, whatever their lanes are called', () => {
    const live = `ferry-canary-20240101-${day(29)}`;
    const stored = [live, ...days('daily', 1, 28), ...days('weekly', 1, 28)];
    for (const marks of [[], marked(stored)]) {
      const read = runsToRead(stored, marks);
      expect(read).toHaveLength(40);
      expect(read[0]).toBe(live);
      expect(read).toContain(`ferry-daily-${day(10)}`);
      expect(read).not.toContain(`ferry-weekly-${day(2)}`);
    }
  });

  it('are those of genuine marks, however many folders somebody plants', () => {
    const planted = Array.from({ length: 100 }, (_, index) => `zzz-${index}-20991231`);
    const read = runsToRead([...planted, 'ferry-daily-20261121'], marked(['ferry-daily-20261121']));
    expect(read[0]).toBe('ferry-daily-20261121');
    expect(read.length).toBeLessThanOrEqual(41);
  });

  it('are of every lane, however many another lane has had since', () => {
    const standing = `ferry-canary-${day(1)}`;
    const read = runsToRead([], marked([standing, ...days('daily', 1, 30), ...days('weekly', 1, 30)]));
    expect(read).toContain(standing);
    expect(read).toHaveLength(40);
  });

  it('are all that were launched and are not over, however old, beside the newest of those that are', () => {
    const live = [...days('canary', 1, 25), ...days('weekly', 1, 25)];
    const past = days('daily', 1, 60);
    const over = past.map((run) => ({ mark: { run, role: 'control', over: true } }) as unknown as SeenMark);
    const read = runsToRead([], [...marked([...live, ...past], 'runner'), ...over]);
    expect(read.slice(0, 50).toSorted()).toEqual([...live].toSorted());
    expect(read.slice(50)).toEqual(past.slice(-40).toReversed());
  });

  it('are forty of each lane that were launched and are over, so that a month of it can be added up', () => {
    const past = [...days('daily', 1, 50), ...days('weekly', 1, 50)];
    const over = past.map((run) => ({ mark: { run, role: 'control', over: true } }) as unknown as SeenMark);
    const read = runsToRead([], [...marked(past, 'runner'), ...over]);
    expect(read).toHaveLength(80);
    expect(read).toContain(`ferry-weekly-${day(11)}`);
  });

  it('are all that were launched of late, however many were proposed since, by a thief of the control key too', () => {
    const launched = days('canary', 1, 30);
    const proposed = Array.from({ length: 100 }, (_, index) => `ferry-lane${index}-20991231`);
    const read = runsToRead([], [...marked([...proposed, ...launched]), ...marked(launched, 'runner')]);
    expect(read.slice(0, 30)).toEqual(launched.toReversed());
  });
});
