/** How far an attempt got, where its log rounds most of its steps. */

import { expect, it } from 'vitest';
import { reachedStep } from '../../src/domain/launch/next-attempt.ts';

it.each([
  ['the exact step of an eval of long before, and what was seen since', 49_999, 54_500, 54_500],
  ['an exact step beyond the newest look', 1_199, 1_100, 1_199],
  ['nothing exact', null, 300, 300],
  ['nothing but the end', 300, null, 300],
  ['nothing at all', null, null, null],
])('of an attempt with %s is %j or %j: %j', (_, lastStep, step, reached) => {
  const observation = step === null ? null : { step };
  expect(reachedStep({ end: { lastStep }, observation } as never)).toBe(reached);
});
