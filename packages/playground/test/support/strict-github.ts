/** Runs before every test file: a test fails when the playground answered or sent what GitHub would not. */

import { afterEach } from 'vitest';
// A module of its own: this file is run again for each file of a process, and would listen once more each time.
import { faultsFound } from './github-judge.ts';

afterEach(() => {
  const told = faultsFound();
  if (told.length > 0) throw new Error(`not as GitHub does:\n${told.join('\n')}`);
});
