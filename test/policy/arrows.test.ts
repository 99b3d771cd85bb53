/** The import arrows hold in our tree, and dependency-cruiser has read the tree. */

import { expect, it } from 'vitest';
import { cruise, ROOT } from './cruise.ts';

it('breaks no import arrow', async () => {
  const own = await cruise(ROOT);
  expect(own.broken).toEqual([]);
  // With an unknown compiler version, dependency-cruiser finds no modules and reports success.
  expect(own.modules).toBeGreaterThan(300);
});
