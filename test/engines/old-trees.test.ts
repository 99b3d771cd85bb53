/** Which folders of local jobs are taken away, and which never are. */

import { mkdir, mkdtemp, readdir, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeOldTrees, TREES_KEPT } from '../../src/engines/local/old-trees.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const DAY = 24 * 60 * 60_000;
let folder: string;
const [trees, jobs] = [() => join(folder, 'trees'), () => join(folder, 'jobs')];
const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `tree-${1000 + i}`);

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'ferrybot-trees-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A folder last written to `days` ago; with a job in it that ended then, or that runs on. */
async function tree(name: string, days: number, job: 'ended' | 'running' | 'none'): Promise<void> {
  const path = join(trees(), name);
  await mkdir(path, { recursive: true });
  if (job !== 'none') {
    const record = join(jobs(), `job-${name}`);
    await mkdir(record, { recursive: true });
    const metadata = { run: 'r', attempt: 1, manifest: 'm' };
    const claim = { submissionId: name, command: ['a'], environmentNames: [], metadata, claimedAtMs: 0 };
    await writeFile(join(record, 'job.json'), JSON.stringify({ ...claim, workingDirectory: path }));
    const exit = { exitCode: 0, signal: null, startError: null, startedAtMs: 0, stopRequested: false };
    if (job === 'ended')
      await writeFile(join(record, 'exit.json'), JSON.stringify({ ...exit, endedAtMs: NOW - days * DAY }));
  }
  const at = new Date(NOW - days * DAY);
  await utimes(path, at, at);
}

it('takes away what ended more than a month ago, oldest first, and leaves the newest however old', async () => {
  const all = names(TREES_KEPT + 3);
  for (const [index, name] of all.entries()) await tree(name, 200 - index, 'ended');
  expect(await removeOldTrees(trees(), jobs(), NOW)).toEqual(
    all.slice(0, 3).map((name) => join(trees(), name)),
  );
  expect((await readdir(trees())).toSorted()).toEqual(all.slice(3));
});

it('leaves a job that runs, one that ended lately, and a folder that is being filled at this moment', async () => {
  for (const name of names(TREES_KEPT)) await tree(name, 0, 'ended');
  await tree('runs', 300, 'running');
  await tree('lately', 29, 'ended');
  await tree('filled', 0, 'none');
  await tree('left-behind', 2, 'none');
  expect(await removeOldTrees(trees(), jobs(), NOW)).toEqual([join(trees(), 'left-behind')]);
});

it('has nothing to do where there is nothing', async () => {
  expect(await removeOldTrees(trees(), jobs(), NOW)).toEqual([]);
});
