/** `ferrybot` as people start it: in any folder, with the Node version that is first on their PATH. */

import { cp, mkdir, mkdtemp, symlink, utimes, writeFile } from 'node:fs/promises';
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

/** A checkout with a bundle and a source file of these ages, in seconds, each of which prints its name. */
async function checkout(bundleAge: number, sourceAge: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ferrybot-launcher-'));
  await mkdir(join(folder, 'src/app/cli'), { recursive: true });
  await mkdir(join(folder, 'dist'));
  await cp(LAUNCHER, join(folder, 'bin/ferrybot.js'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const ages = { 'dist/cli.js': bundleAge, 'src/app/cli/main.ts': sourceAge };
  for (const [name, age] of Object.entries(ages)) {
    await writeFile(join(folder, name), `console.log('${name}')\n`);
    const time = Date.now() / 1_000 - age;
    await utimes(join(folder, name), time, time);
  }
  return folder;
}

describe('the command in a checkout', () => {
  it.each([
    ['the bundle if it is newer than the source', -10, 10, 'dist/cli.js'],
    ['the source if it is newer than the bundle', 10, 0, 'src/app/cli/main.ts'],
  ])('runs %s', async (_title, bundleAge, sourceAge, runs) => {
    const folder = await checkout(bundleAge, sourceAge);
    const { stdout } = await execa(process.execPath, [join(folder, 'bin/ferrybot.js')]);
    expect(stdout).toBe(runs);
  });
});

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
