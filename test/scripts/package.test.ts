/**
 * The package from `npm pack`: its command works in an empty folder, without this checkout or other
 * packages.
 */

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

describe('the package', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ferrybot-package-'));
    await execa('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
    const [tarball = ''] = await readdir(folder);
    await execa('tar', ['-xzf', tarball], { cwd: folder });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const ferrybot = (args: readonly string[], input = '') =>
    execa(process.execPath, [join(folder, 'package/bin/ferrybot.js'), ...args], {
      cwd: folder,
      input,
      reject: false,
    });

  it('prints its version', async () => {
    expect((await ferrybot(['--version'])).stdout).toBe('0.1.0');
    expect(JSON.parse((await ferrybot(['--version', '--json'])).stdout)).toMatchObject({ version: '0.1.0' });
  });

  it('classifies a log', async () => {
    const { stdout, exitCode } = await ferrybot(['classify', '--json'], "NameError: name 'x' is not defined\n");
    expect([exitCode, JSON.parse(stdout).class]).toEqual([0, 'code-other']);
  });

  it('reads experiment files with the Python script inside', async () => {
    const same = join(ROOT, 'fixtures/lab/experiments/ferries/daily.py');
    const { stdout } = await ferrybot(['delta', same, same, '--json']);
    expect(JSON.parse(stdout)).toEqual({ kind: 'none' });
  });

  it('serves a checkout on its playground', async () => {
    const { stdout, exitCode } = await ferrybot(['playground', '--json']);
    expect([exitCode, JSON.parse(stdout).error.code]).toEqual([1, 'no-repository']);
  });
});
