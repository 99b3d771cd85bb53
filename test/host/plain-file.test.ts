/** A job may write where its log and its records lie: what it puts there instead is not followed, not waited for and not read without end. */

import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { jobMetadata } from '../../src/engines/shared/identity.ts';
import { readLogFile, readRecord } from '../../src/engines/shared/job-files.ts';
import { RECORD_FILE_BYTES_MAX } from '../../src/host/files.ts';

async function folderOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-plain-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

// threat T243
it.each([
  ['a link to a file of somebody else', 'link'],
  ['a pipe that nobody writes to', 'pipe'],
  ['a device that never ends', 'device'],
])('%s in the place of a log or a record is unreadable', async (_, kind) => {
  const folder = await folderOf();
  const path = join(folder, kind);
  await writeFile(join(folder, 'theirs'), 'a line of theirs\n');
  if (kind === 'link') await symlink(join(folder, 'theirs'), path);
  if (kind === 'pipe') await execa('mkfifo', [path]);
  const meant = kind === 'device' ? '/dev/zero' : path;
  const log = await readLogFile(meant, 0);
  expect(log.kind).toBe('unknown');
  expect(JSON.stringify(log)).not.toContain('of theirs');
  expect((await readRecord(meant, jobMetadata)).kind).toBe('unreadable');
});

it('a record that is longer than any that is written here is unreadable', async () => {
  const path = join(await folderOf(), 'record.json');
  await writeFile(path, `"${'x'.repeat(RECORD_FILE_BYTES_MAX)}"`);
  expect(await readRecord(path, jobMetadata)).toMatchObject({
    kind: 'unreadable',
    why: expect.stringContaining('more than'),
  });
});
