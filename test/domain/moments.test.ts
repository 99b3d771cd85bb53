/**
 * Times as jobs, trackers, clusters and people write them: a time that RFC 3339 cannot express is null,
 * without an exception.
 */

import { expect, it } from 'vitest';
import { fromRfc3339, instantFromMs, toRfc3339 } from '../../src/domain/values.ts';

it.each([
  '1969-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'yesterday',
  '',
])('%j is not a time', (text) => {
  expect(fromRfc3339(text)).toBeNull();
});

// threat T236
it.each([-1, 253_402_300_800_000, 8_640_000_000_000_001, 9e15, 1e300, Number.NaN, Number.POSITIVE_INFINITY])(
  'the number %d is not a time',
  (ms) => {
    expect(instantFromMs(ms)).toBeNull();
  },
);

it.each([0, 253_402_300_799_999])('the number %d is a time, and is read back unchanged', (ms) => {
  const at = instantFromMs(ms);
  expect(at === null ? null : fromRfc3339(toRfc3339(at))).toBe(ms);
});
