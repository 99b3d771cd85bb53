/**
 * Ten thousand submits to the recorded controller: each attempt starts at most once, and each end is
 * reported correctly.
 */

import { expect, it } from 'vitest';
import { submitMany } from '../support/iris-submits.ts';

const HALF = 5_000;

it.each([
  ['markers that all workers share', '/shared/marks'],
  ['only names and attempts', null],
])(
  'starts each of five thousand attempts at most once and reports its end, with %s',
  async (_, markers) => {
    const told = await submitMany({ count: HALF, seed: 1, markers });
    expect(told).toHaveLength(HALF);
    expect(told.filter(({ starts, wrong }) => starts > 1 || wrong !== '')).toEqual([]);
    expect(told.filter(({ starts }) => starts === 1).length).toBeGreaterThan(HALF / 2);
  },
  600_000,
);
