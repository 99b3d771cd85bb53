/**
 * A sample of the ten thousand submits in test/iris/submits.test.ts: each attempt starts at most once, and
 * each end is reported correctly.
 */

import { describe, expect, it } from 'vitest';
import { submitMany } from '../support/iris-submits.ts';

describe('submits to a controller that loses, doubles, delays and forgets requests', () => {
  it.each([
    ['markers that all workers share', '/shared/marks'],
    ['names and attempts only', null],
  ])('start each attempt at most once and report each end correctly, with %s', async (_, markers) => {
    const told = await submitMany({ count: 200, seed: 7, markers });
    expect(told.filter(({ starts, wrong }) => starts > 1 || wrong !== '')).toEqual([]);
    // Guard against an empty test: some attempts must start, with different outcomes.
    expect(told.filter(({ starts }) => starts === 1).length).toBeGreaterThan(100);
    expect(new Set(told.map(({ outcome }) => outcome)).size).toBeGreaterThan(2);
  });
});
