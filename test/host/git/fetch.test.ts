// Which refs and how much history a mirror fetches, on a real repository.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AT_MS,
  createBareRepository,
  createScratchFolder,
  pushFirstCommit,
  type Remote,
} from './scratch-repository.ts';

const MAIN = 'refs/heads/main';
const RECORD = 'refs/heads/ferrybot/logbook';

/** A client, its mirror, and a fresh repository with one commit on main. */
async function lab() {
  const remote = await createBareRepository();
  await pushFirstCommit(remote.client(), { 'a.txt': 'a\n' });
  const directory = join(createScratchFolder(), 'mirror.git');
  return { remote, directory, client: remote.client({ directory }) };
}

const refsIn = (directory: string): readonly string[] =>
  execFileSync('git', ['-C', directory, 'for-each-ref', '--format=%(refname)'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => name !== '');

async function commitTo(remote: Remote, ref: string, count: number, tag?: string): Promise<void> {
  const bob = remote.client();
  for (let at = 0; at < count; at += 1) {
    const expected = await bob.resolve(ref);
    const outcome = await bob.commitAndPush({
      ...{ ref, expected, parent: 'expected', files: { 'log.txt': 'line\n'.repeat(at + 1) } },
      ...{ message: `${at}`, atMs: AT_MS },
      ...(tag !== undefined && at === 0 ? { tags: [{ name: tag, message: 'mark' }] } : {}),
    });
    expect(outcome.kind).toBe('pushed');
  }
}

describe('fetch', () => {
  it('transfers the named branches only; other refs are fetched when they are resolved', async () => {
    const { remote, directory, client } = await lab();
    for (const name of ['one', 'two']) await remote.git('branch', name, 'main');
    await client.fetch({ branches: [MAIN] });
    expect(refsIn(directory)).toEqual([MAIN]);
    expect(await client.resolve('refs/heads/one')).toBe(await remote.git('rev-parse', 'one'));
    expect(await client.resolve('refs/heads/none')).toBeNull();
    expect(refsIn(directory)).toEqual([MAIN, 'refs/heads/one']);
  });

  it('reports a resolved branch as missing after the remote deleted it', async () => {
    const { remote, client } = await lab();
    await remote.git('branch', 'one', 'main');
    await client.fetch({ branches: [MAIN] });
    expect(await client.resolve('refs/heads/one')).not.toBeNull();
    await remote.git('branch', '-D', 'one');
    await client.fetch();
    expect(await client.resolve('refs/heads/one')).toBeNull();
  });

  it('finds a branch that was reset to the commit before our push', async () => {
    const { remote, client } = await lab();
    await client.fetch({ branches: [MAIN] });
    const before = await client.resolve(MAIN);
    await client.commitAndPush({
      ...{ ref: MAIN, expected: before, parent: 'expected', files: { 'b.txt': 'b\n' } },
      ...{ message: 'b', atMs: AT_MS },
    });
    await remote.git('update-ref', MAIN, before ?? '');
    await client.fetch();
    expect(await client.resolve(MAIN)).toBe(before);
  });

  it('fetches every branch before it says whether one contains a commit', async () => {
    const { remote, client } = await lab();
    await commitTo(remote, 'refs/heads/elsewhere', 1);
    const commit = await remote.client().resolve('refs/heads/elsewhere');
    await client.fetch({ branches: [MAIN] });
    expect(commit === null ? null : await client.isOnBranch(commit)).toBe(true);
  });

  it('reads the marks again only after the record moved', async () => {
    const { remote, directory, client } = await lab();
    const record = { branch: RECORD, marks: ['mark-11-'] };
    await commitTo(remote, RECORD, 2, 'mark-11-a');
    await remote.git('tag', '-a', '-m', 'old', 'mark-10-a', 'main');
    await client.fetch({ branches: [MAIN], record });
    expect(refsIn(directory)).toEqual([RECORD, MAIN, 'refs/tags/mark-11-a']);
    await remote.git('tag', '-a', '-m', 'new', 'mark-11-b', RECORD);
    await client.fetch();
    expect(refsIn(directory)).not.toContain('refs/tags/mark-11-b');
    await commitTo(remote, RECORD, 1);
    await client.fetch();
    expect(refsIn(directory)).toContain('refs/tags/mark-11-b');
  });
});

describe('the history of the record', () => {
  it('starts near the head, and is fetched further when a question reaches its end', async () => {
    const { remote, directory, client } = await lab();
    await commitTo(remote, RECORD, 80);
    await client.fetch({ branches: [MAIN], record: { branch: RECORD, marks: [] } });
    expect(existsSync(join(directory, 'shallow'))).toBe(true);
    expect(readdirSync(directory)).toContain('shallow');
    const from = await client.resolve(RECORD);
    if (from === null) throw new Error('no record');
    const first = await remote.git('rev-list', '--max-parents=0', RECORD);
    const all = await client.versions({ from, not: null, paths: ['log.txt'] });
    expect(all).toHaveLength(80);
    const later = await client.versions({ from, not: first as typeof from, paths: ['log.txt'] });
    expect(later).toHaveLength(80);
  });
});
