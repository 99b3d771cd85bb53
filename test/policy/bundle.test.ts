/**
 * The action's real files: two builds are identical, and ordinary comments are ignored without loading the
 * program.
 */

import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildAction } from '../../scripts/bundle/build-action.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = ['index.js', 'program.js'] as const;

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-action-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const place of ['one', 'other', 'alone']) {
    await mkdir(join(folder, place));
    if (place === 'alone') continue;
    const { files } = await buildAction(ROOT);
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
    const [one, other] = await Promise.all(
      ['one', 'other'].map((place) => readFile(join(folder, place, name))),
    );
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
