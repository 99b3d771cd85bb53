/** The action's real entry as one file: made twice it is the same, and it leaves other people's comments alone. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBundle } from '../../scripts/bundle/build-bundle.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = 'src/app/action/main.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ferrybot-action-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const name of ['one.js', 'other.js'])
    await writeFile(join(folder, name), (await buildBundle(ROOT, ENTRY)).code);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the bundle as a runner would, with nothing in the environment but what is needed to look at the comment. */
async function onComment(body: string): Promise<{ readonly stdout: string; readonly exitCode?: number }> {
  const path = join(folder, 'event.json');
  await writeFile(path, JSON.stringify({ action: 'created', comment: { body, user: { type: 'User' } } }));
  return execa(process.execPath, [join(folder, 'one.js')], {
    cwd: folder,
    extendEnv: false,
    reject: false,
    env: { INPUT_MODE: 'chat', GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: path },
  });
}

describe('the bundle of the action', () => {
  it('has the same bytes when it is made twice', async () => {
    const [one, other] = await Promise.all(
      ['one.js', 'other.js'].map((name) => readFile(join(folder, name))),
    );
    expect(other?.equals(one ?? new Uint8Array())).toBe(true);
  });

  it('says that a comment without a command is not its business', async () => {
    expect(await onComment('thanks, looks good')).toMatchObject({
      stdout: 'nothing for ferrybot in this event',
      exitCode: 0,
    });
  });

  it('loads the program for a command, which says what the environment lacks', async () => {
    const { stdout, exitCode } = await onComment('/status');
    expect(stdout).toContain('GITHUB_REPOSITORY');
    expect(exitCode).toBe(1);
  });
});
