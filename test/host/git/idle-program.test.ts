/** The git program that a mirror keeps open for reading objects. */

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createObjects } from '../../../src/host/git/objects.ts';

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Programs of this process that read objects of the folder. */
async function programs(): Promise<number> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8');
  const lines = children.split(' ').flatMap((pid) => (pid === '' ? [] : [commandLine(pid)]));
  return (await Promise.all(lines)).filter((line) => line.includes(folder)).length;
}

async function commandLine(pid: string): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, 'utf8').catch((error: unknown) => String(error));
}

it('ends when it is idle, and starts again for the next object', async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-idle-'));
  execFileSync('git', ['init', '--quiet', '--bare', folder]);
  const env = { PATH: process.env['PATH'] ?? '' };
  const objects = createObjects({ directory: folder, env, ready: async () => undefined, fetch: async () => undefined });
  const id = await objects.write('blob', Buffer.from('text'));
  const read = async () => [...(await objects.read([id], 100)).values()].map(({ bytes }) => String(bytes));
  expect(await read()).toEqual(['text']);
  expect(await programs()).toBe(1);
  await expect.poll(programs, { timeout: 60_000, interval: 200 }).toBe(0);
  expect(await read()).toEqual(['text']);
  expect(await programs()).toBe(1);
});
