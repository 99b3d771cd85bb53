/**
 * A job may write to the folder of its log and records: what it puts in their place is not followed, waited
 * for or read without limit.
 */

import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { readLogFile, readRecord } from '../../src/engines/shared/job-files.ts';
import { jobMetadata } from '../../src/engines/shared/kit.ts';
import { RECORD_FILE_BYTES_MAX } from '../../src/host/files.ts';

async function folderOf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-plain-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

// threat T243
it.each([
  ['a link to another file', 'link'],
  ['a pipe without a writer', 'pipe'],
  ['an endless device', 'device'],
])('%s in place of a log or a record is unreadable', async (_, kind) => {
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

it('a record over the size limit is unreadable', async () => {
  const path = join(await folderOf(), 'record.json');
  await writeFile(path, `"${'x'.repeat(RECORD_FILE_BYTES_MAX)}"`);
  expect(await readRecord(path, jobMetadata)).toMatchObject({
    kind: 'unreadable',
    why: expect.stringContaining('more than'),
  });
});
