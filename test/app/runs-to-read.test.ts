/** Which runs a process reads of a record with several lanes, and that nobody can hide one behind others. */

import { describe, expect, it } from 'vitest';
import type { SeenMark } from '../../src/app/record-marks.ts';
import { isWithinReach, runsToRead } from '../../src/app/runs-to-read.ts';

const day = (number: number): string => `202611${String(number).padStart(2, '0')}`;
const days = (lane: string, from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `ferry-${lane}-${day(from + index)}`);
// Of a mark only the name of its run decides here.
const marked = (runs: readonly string[]): readonly SeenMark[] =>
  runs.map((run) => ({ mark: { run } }) as unknown as SeenMark);

describe('the runs that are read', () => {
  it('are the newest by their date, whatever their lanes are called', () => {
    const live = `ferry-canary-${day(29)}`;
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

  it('leave out of reach what is older than all of them', () => {
    const read = runsToRead([], marked([...days('daily', 5, 28), ...days('canary', 5, 28)]));
    expect(isWithinReach(`ferry-canary-${day(28)}-2`, read)).toBe(true);
    expect(isWithinReach(`ferry-canary-${day(1)}`, read)).toBe(false);
    expect(isWithinReach(`ferry-canary-${day(1)}`, read.slice(0, 3))).toBe(true);
  });
});
