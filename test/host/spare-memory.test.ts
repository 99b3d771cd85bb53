/** Memory that a long process does not need is given back, and nothing is done where there is little of it. */

import { expect, it } from 'vitest';
import { createMemorySaver } from '../../src/host/spare-memory.ts';

const MB = 2 ** 20;

/** About so many megabytes. */
function litter(megabytes: number): readonly (readonly number[])[] {
  return Array.from({ length: megabytes }, (_, one) => Array.from({ length: MB / 8 }, (_, at) => at + one));
}

it('collects once there is much garbage, and not again before there is as much once more', () => {
  const save = createMemorySaver();
  let first: readonly unknown[] = litter(60);
  expect(first.length + Number(save())).toBe(61);
  const before = process.memoryUsage().heapUsed;
  expect(save()).toBe(false);
  let second: readonly unknown[] = litter(60);
  [first, second] = [[], second.slice(0, 1)];
  expect(save()).toBe(true);
  expect(process.memoryUsage().heapUsed).toBeLessThan(before - 30 * MB);
  expect(first.length + second.length).toBe(1);
});
