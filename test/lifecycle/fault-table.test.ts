/** The table of ferries under faults: what it counts, and that a real ferry is told from one on virtual time. */

import { describe, expect, it } from 'vitest';
import { TABLE_HEAD, tableRow } from '../../scripts/faults/table.ts';
import type { FaultReport } from '../support/fault-ferry.ts';

const GOOD: FaultReport = {
  kind: 'slow',
  seed: 1,
  overHttp: false,
  struck: 4,
  launches: 1,
  isSealed: true,
  unanswered: 0,
  twice: [],
  busiestMinute: 9,
  busiestHour: 20,
  problem: null,
};

describe('a row of the table', () => {
  it('has a cell for each head, and marks what was played for real', () => {
    const [head = ''] = TABLE_HEAD;
    expect(tableRow('slow', 'real', [{ ...GOOD, overHttp: true }])).toBe(
      '| slow (real) | 1 | 1 | 4 | 1 | 1 | 1 | 9 | 20 |',
    );
    expect(tableRow('slow', 'virtual', [GOOD]).split('|')).toHaveLength(head.split('|').length);
  });

  it.each([
    [{ launches: 2 }, '| slow | 2 | 1 | 8 | 1 | 2 | 2 | 9 | 20 |'],
    [{ launches: 0, isSealed: false }, '| slow | 2 | 1 | 8 | 1 | 1 | 2 | 9 | 20 |'],
    [{ unanswered: 1 }, '| slow | 2 | 1 | 8 | 2 | 2 | 1 | 9 | 20 |'],
    [{ twice: ['a ferry answer comment-1'] }, '| slow | 2 | 1 | 8 | 2 | 2 | 1 | 9 | 20 |'],
    [{ busiestMinute: 81, busiestHour: 501 }, '| slow | 2 | 1 | 8 | 2 | 2 | 2 | 81 | 501 |'],
  ])('does not count a ferry with %j as good', (change, row) => {
    expect(
      tableRow('slow', 'virtual', [
        { ...GOOD, overHttp: true },
        { ...GOOD, ...change },
      ]),
    ).toBe(row);
  });
});
