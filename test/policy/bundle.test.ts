/**
 * The action's real files: two builds are identical, and ordinary comments are ignored without loading the
 * program.
 */

import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAction } from '../../scripts/bundle/build-action.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = ['index.js', 'program.js'] as const;

let folder = '';
let licenses = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-action-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const place of ['one', 'other', 'alone']) {
    await mkdir(join(folder, place));
    if (place === 'alone') continue;
    const { files, licenses: text } = await buildAction(ROOT);
    licenses = text;
    for (const name of NAMES) await writeFile(join(folder, place, name), files[name]);
  }
  await copyFile(join(folder, 'one/index.js'), join(folder, 'alone/index.js'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the bundle as a runner would, with the minimal environment for reading the comment. */
async function onComment(
  body: string,
  place = 'one',
): Promise<{ readonly stdout: string; readonly exitCode?: number }> {
  const path = join(folder, 'event.json');
  await writeFile(path, JSON.stringify({ action: 'created', comment: { body, user: { type: 'User' } } }));
  return execa(process.execPath, [join(folder, place, 'index.js')], {
    cwd: folder,
    extendEnv: false,
    reject: false,
    env: { INPUT_MODE: 'chat', GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: path },
  });
}

describe('the bundle of the action', () => {
  it.each(NAMES)('has the same bytes in two builds: %s', async (name) => {
    const [one, other] = await Promise.all(['one', 'other'].map((place) => readFile(join(folder, place, name))));
    expect(other?.equals(one ?? new Uint8Array())).toBe(true);
  });

  it('decides on a comment without loading the program file', async () => {
    expect(await onComment('thanks, looks good', 'alone')).toMatchObject({ exitCode: 0 });
    expect(await onComment('/status', 'alone')).not.toMatchObject({ exitCode: 0 });
  });

  it('reports that a comment without a command needs no action', async () => {
    expect(await onComment('thanks, looks good')).toMatchObject({
      stdout: 'nothing for ferrybot in this event',
      exitCode: 0,
    });
  });

  it('loads the program for a command, and reports what the environment lacks', async () => {
    const { stdout, exitCode } = await onComment('/status');
    expect(stdout).toContain('GITHUB_REPOSITORY');
    expect(exitCode).toBe(1);
  });
});

describe('what a runner downloads for each job', () => {
  const BYTES_MAX = 1_200_000;

  it('is the action alone, at most 1.2 MB', async () => {
    const clone = join(folder, 'release');
    const git = (...args: readonly string[]) => execa('git', args, { cwd: clone });
    await execa('git', ['clone', '--quiet', '--shared', ROOT, clone]);
    await copyFile(join(ROOT, '.gitattributes'), join(clone, '.gitattributes'));
    await mkdir(join(clone, 'dist'));
    for (const name of NAMES) await copyFile(join(folder, 'one', name), join(clone, 'dist', name));
    await writeFile(join(clone, 'dist/licenses.txt'), licenses);
    await git('add', '--force', '.gitattributes', ...[...NAMES, 'licenses.txt'].map((name) => `dist/${name}`));
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    await git(...author, 'commit', '--quiet', '--message', 'release: add the bundle');
    const tar = join(folder, 'release.tar');
    await git('archive', '--output', tar, 'HEAD');
    const { stdout } = await execa('tar', ['-tf', tar]);
    const files = stdout.split('\n').filter((name) => !name.endsWith('/'));
    expect(files.sort()).toEqual([
      ...['LICENSE', 'action.yml', 'dist/index.js', 'dist/licenses.txt', 'dist/program.js', 'package.json'],
    ]);
    await execa('gzip', [tar]);
    expect((await stat(`${tar}.gz`)).size).toBeLessThanOrEqual(BYTES_MAX);
  });
});
