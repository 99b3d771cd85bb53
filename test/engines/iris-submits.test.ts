/** A sample of the ten thousand submits (test/iris/submits.test.ts): each attempt starts at most once, each end is told as what it was. */

import { describe, expect, it } from 'vitest';
import { submitMany } from '../support/iris-submits.ts';

describe('submits to a controller that loses, doubles, delays and forgets', () => {
  it.each([
    ['marks that all workers share', '/shared/marks'],
    ['names and attempts alone', null],
  ])('start each attempt at most once and tell each end, with %s', async (_, markers) => {
    const told = await submitMany({ count: 200, seed: 7, markers });
    expect(told.filter(({ starts, wrong }) => starts > 1 || wrong !== '')).toEqual([]);
    // Otherwise there is nothing to see here.
    expect(told.filter(({ starts }) => starts === 1).length).toBeGreaterThan(100);
    expect(new Set(told.map(({ outcome }) => outcome)).size).toBeGreaterThan(2);
  });
});
