/** The table of ferries under faults, and what of a row is not as it should be. */

import { describe, expect, it } from 'vitest';
import { problemsOf, tableRow } from '../../scripts/faults/table.ts';
import type { FaultReport } from '../support/fault-ferry.ts';

const GOOD: FaultReport = {
  kind: 'slow',
  seed: 1,
  overHttp: true,
  struck: 9,
  launches: 1,
  isSealed: true,
  unanswered: 0,
  twice: [],
  busiestMinute: 13,
  busiestHour: 28,
  problem: null,
};

describe('a row', () => {
  it('counts the ferries, those over HTTP, the strikes, and how many went well', () => {
    const bad: FaultReport = { ...GOOD, overHttp: false, launches: 2, twice: ['x'], busiestHour: 40 };
    expect(tableRow('slow', 'virtual', [GOOD, bad])).toBe('| slow | 2 | 1 | 18 | 1 | 2 | 1 | 13 | 40 |');
  });

  it('is whole when every ferry went as it should', () => {
    expect(problemsOf('slow', 'virtual', [GOOD])).toEqual([]);
  });

  it('names each ferry that did not, and where it was played', () => {
    const problem = '2 launches';
    const [http, memory] = [
      { ...GOOD, problem },
      { ...GOOD, overHttp: false, seed: 2, problem },
    ];
    expect(problemsOf('slow', 'virtual', [GOOD, http, memory])).toEqual([
      'slow, seed 1, over HTTP: 2 launches',
      'slow, seed 2, in memory: 2 launches',
    ]);
    expect(problemsOf('slow', 'real', [http])).toEqual(['slow, seed 1, real: 2 launches']);
  });

  it('shows nothing when its fault never struck, except a clock that is wrong all the time', () => {
    const idle = { ...GOOD, struck: 0 };
    expect(problemsOf('slow', 'virtual', [idle])).toEqual(['slow: it never struck, so nothing was shown']);
    expect(problemsOf('clock-skew', 'virtual', [{ ...idle, kind: 'clock-skew' }])).toEqual([]);
  });
});
