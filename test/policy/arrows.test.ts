/** The import arrows hold in our tree, and dependency-cruiser has really read it. */

import { expect, it } from 'vitest';
import { cruise, ROOT } from './cruise.ts';

it('breaks no arrow', async () => {
  const own = await cruise(ROOT);
  expect(own.broken).toEqual([]);
  // With a compiler that it does not understand, dependency-cruiser finds nothing at all and is content.
  expect(own.modules).toBeGreaterThan(300);
});
