/**
 * How many git processes the action starts for one comment: each takes milliseconds on a laptop, a second on
 * a busy runner.
 */

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scratchFolder } from '../host/git/scratch-repository.ts';
import { approvalLine } from '../support/approve.ts';
import { type BundleWorld, HOSTED, openBundleWorld, proposedIn, stateIn } from './bundle-world.ts';

let lab: BundleWorld;
let log: string;
let pull: number;
const path = process.env['PATH'] ?? '';

beforeAll(async () => {
  lab = await openBundleWorld({ server: false });
  pull = (await proposedIn(lab)).proposal.pull;
  await lab.runJobs();
  await lab.useRunners(HOSTED);
  lab.clock.advance(5_000);
  log = await countingGit();
});
afterAll(async () => {
  process.env['PATH'] = path;
  await lab.close();
});

/** Puts a wrapper before the real git that logs each of ferrybot's calls with the mirror it works on. */
async function countingGit(): Promise<string> {
  const folder = scratchFolder();
  const real = (await execa('which', ['git'])).stdout;
  const file = join(folder, 'calls');
  await mkdir(join(folder, 'bin'));
  const script = `#!/bin/sh\n[ "$1" = --git-dir ] && echo "$2 $3 $4 $5 $6" >> '${file}'\nexec '${real}' "$@"\n`;
  await writeFile(join(folder, 'bin/git'), script);
  await chmod(join(folder, 'bin/git'), 0o755);
  await writeFile(file, '');
  process.env['PATH'] = `${join(folder, 'bin')}:${path}`;
  return file;
}

it('an approval through the chat workflow takes at most 20 git processes', async () => {
  await lab.as('mira', 'POST', `/issues/${pull}/comments`, { body: approvalLine(lab) });
  await lab.runJobs();
  process.env['PATH'] = path;
  expect((await stateIn(lab))?.order?.status).toBe('open');
  // Each process of the action has its own mirror.
  const calls = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
  for (const ofOne of Map.groupBy(calls, (line) => line.split(' ')[0]).values())
    expect(ofOne.length, ofOne.join('\n')).toBeLessThanOrEqual(20);
});
