/** Runs before every test file: a test fails when the playground answered or sent something that GitHub would not. */

import { afterEach } from 'vitest';
// A separate module, because this file runs again for each test file of a process and would subscribe again each time.
import { faultsFound } from './github-judge.ts';

afterEach(() => {
  const found = faultsFound();
  if (found.length > 0) throw new Error(`not as GitHub does:\n${found.join('\n')}`);
});
