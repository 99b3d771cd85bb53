/** `ferrybot` as people start it: in any folder, with the Node version that is first on their PATH. */

import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

const LAUNCHER = join(import.meta.dirname, '../../../bin/ferrybot.js');
/** A Node that cannot strip types, like version 20; the tests use a newer one. */
const OLD = ['--no-experimental-strip-types'];

async function linked(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-launcher-'));
  await symlink(LAUNCHER, join(folder, 'ferrybot'));
  return folder;
}

describe.each([
  ['a Node that reads TypeScript', []],
  ['an older Node', OLD],
])('started by %s', (_name, flags) => {
  it('reads standard input and answers when started through a link in another folder', async () => {
    const folder = await linked();
    const { stdout, exitCode } = await execa(
      process.execPath,
      [...flags, join(folder, 'ferrybot'), 'read-comment', '--json'],
      { cwd: folder, input: '/status\n' },
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ commands: [{ name: 'status' }] });
  });

  it('returns the answer as exit code and resolves files in the current folder', async () => {
    const folder = await linked();
    await writeFile(join(folder, 'mine.yml'), 'version: 2\n');
    const asked = await execa(process.execPath, [...flags, LAUNCHER, 'check-config', 'mine.yml'], {
      cwd: folder,
      reject: false,
    });
    expect(asked.exitCode).toBe(1);
    expect(asked.stdout + asked.stderr).toContain('mine.yml:1:');
    const wrong = await execa(process.execPath, [...flags, LAUNCHER, 'nonsense'], { reject: false });
    expect(wrong.exitCode).toBe(2);
  });

  it('ends the program on a signal to the launcher', async () => {
    const child = execa(process.execPath, [...flags, LAUNCHER, 'classify'], { reject: false, stdin: 'pipe' });
    child.stdin.write('one line\n');
    await new Promise((resolve) => setTimeout(resolve, 700));
    child.kill('SIGTERM');
    expect((await child).signal).toBe('SIGTERM');
  });
});
