/**
 * Files planted on the runner's machine before the launch, with the real bundle: none of them runs or is
 * sent.
 */

import { access, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventsPathOf } from './attacks.ts';
import { type BundleLab, openBundleLab } from './bundle-lab.ts';

const PLANTED = "print('PLANTED CODE RAN')\n";
let lab: BundleLab;
let job: { readonly log: string; readonly folder: string };

beforeAll(async () => {
  lab = await openBundleLab();
  const state = dirname(lab.jobs);
  const id = `ferrybot-${lab.run}-a1`;
  // Every predictable path: the tree, the job's home, and what Python reads there.
  await plant(join(state, 'trees', id, 'scripts', 'tell.py'));
  await plant(join(state, 'trees', id, 'experiments', 'ferries', 'daily.py'));
  await plant(join(state, 'trees', 'tell.py'));
  expect(await lab.launch()).toContain('ferrybot: submitted');
  job = await jobOf(join(lab.jobs, id));
});
afterAll(() => lab.close());

// threat T158
it('a planted folder at a predictable path of the tree is not run', async () => {
  expect(job.log).toContain('ENVIRONMENT ');
  expect(job.log).not.toContain('PLANTED');
  expect(await readFile(join(job.folder, 'scripts/tell.py'), 'utf8')).toBe(
    `${await lab.git('show', 'main:scripts/tell.py')}\n`,
  );
});

it('each launch has its own folder with a random name, readable only by its owner', async () => {
  expect(job.folder).toMatch(/\/trees\/tree-\w{6}$/);
  expect((await stat(job.folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(job.folder)).toSorted()).toEqual(['experiments', 'lib', 'scripts']);
});

it("the record has the number of shipped files and the digest of git's list of them", async () => {
  const logbook = await lab.git('show', `ferrybot/logbook:${await eventsPathOf(lab, lab.run)}`);
  const line = logbook.split('\n').find((one) => one.includes('"type":"submitted"')) ?? '{}';
  const { details } = (JSON.parse(line) as { readonly data: { readonly details: object } }).data;
  const branch = `ferrybot/proposal/${lab.run}`;
  const list = await lab.git('ls-tree', '-r', branch, '--', 'experiments', 'lib', 'scripts');
  expect(details).toMatchObject({
    shippedFiles: list.split('\n').length,
    shippedDigest: lab.control.digestOf(`${list}\n`),
    workingDirectory: job.folder,
  });
});

async function plant(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, PLANTED);
}

async function jobOf(folder: string): Promise<{ readonly log: string; readonly folder: string }> {
  for (let look = 0; look < 300; look += 1) {
    try {
      await access(join(folder, 'exit.json'));
      const started = JSON.parse(await readFile(join(folder, 'process.json'), 'utf8')) as object;
      const workingDirectory = 'workingDirectory' in started ? String(started.workingDirectory) : '';
      return { log: await readFile(join(folder, 'log'), 'utf8'), folder: workingDirectory };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
    await sleep(100);
  }
  throw new Error('the job did not end');
}
