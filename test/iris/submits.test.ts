/** Ten thousand submits to the recorded controller: each attempt starts at most once, each end is told as what it was. */

import { expect, it } from 'vitest';
import { submitMany } from '../support/iris-submits.ts';

const HALF = 5_000;

it.each([
  ['marks that all workers share', '/shared/marks'],
  ['names and attempts alone', null],
])(
  'each of five thousand attempts starts at most once, with %s, and its end is told',
  async (_, markers) => {
    const told = await submitMany({ count: HALF, seed: 1, markers });
    expect(told).toHaveLength(HALF);
    expect(told.filter(({ starts, wrong }) => starts > 1 || wrong !== '')).toEqual([]);
    expect(told.filter(({ starts }) => starts === 1).length).toBeGreaterThan(HALF / 2);
  },
  600_000,
);
