/** The folder of `--keep` is used by one playground at a time and for one lab. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimFolder } from '../../demo/claim-folder.ts';
import { type LabFolder, openLabFolder } from '../../demo/lab-folder.ts';
import { readCheckout } from '../../demo/own/checkout.ts';
import { ownLab } from '../../demo/own/own-lab.ts';
import { readProcessStat } from '../../packages/playground/actions/runner/group-record.ts';
import { commitAll, git } from './own-checkout.ts';

let folder: LabFolder;
beforeEach(async () => {
  folder = await openLabFolder(await mkdtemp(join(tmpdir(), 'kept-')));
});
afterEach(() => rm(folder.root, { recursive: true, force: true }));

it('a kept folder is refused while another process uses it, and free after that process was killed', async () => {
  const other = execa('sleep', ['60'], { reject: false });
  const pid = other.pid ?? 0;
  await writeFile(join(folder.root, 'playground.pid'), `${pid} ${readProcessStat(pid)?.start ?? ''}`);
  expect(await claimFolder(folder)).toMatchObject({
    ok: false,
    code: 'in-use',
    message: expect.stringContaining(`process ${pid} serves ${folder.root}`),
  });
  other.kill('SIGKILL');
  await other;
  const mine = await claimFolder(folder);
  if (!mine.ok) throw new Error(mine.message);
  await mine.release();
  expect((await claimFolder(folder)).ok).toBe(true);
});

it('a kept folder is free if its process has ended and another process has the id now', async () => {
  await writeFile(join(folder.root, 'playground.pid'), `${process.ppid} 1`);
  expect((await claimFolder(folder)).ok).toBe(true);
});

it('a kept folder of another lab or branch is refused and not changed', async () => {
  const checkout = join(folder.root, 'checkout');
  await git(folder.root, 'init', '--quiet', '--initial-branch=main', checkout);
  await writeFile(join(checkout, 'a.txt'), 'one');
  await commitAll(checkout, 'One');
  await writeFile(folder.world, '{}');
  const reading = await readCheckout(checkout, null);
  if (!reading.ok) throw new Error(reading.message);
  expect(await ownLab(reading.checkout, folder, { server: false, actions: null })).toEqual({
    ok: false,
    code: 'other-lab',
    message: `${folder.root} keeps a rehearsal that does not have the branch main of lab/checkout; choose another folder`,
  });
});
