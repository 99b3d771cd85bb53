/** Reading and writing a store as if it were a remote, and creating its first commit from a folder. */

import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importTree } from '../../git/store/import-tree.ts';
import { commitFiles, readPath, treeAt } from '../../git/store/memory-remote.ts';
import { createMemoryStore } from '../../git/store/memory-store.ts';
import { createProgramStore } from '../../git/store/program-store.ts';
import { startGitServer } from './git-server.ts';
import { ada, temporaryFolder } from './store-pair.ts';

const ref = 'refs/heads/logbook';
const author = ada(1_760_000_000_000);
const message = 'Append\n';

describe('a remote in memory', () => {
  it('keeps other files, creates folders, and removes empty ones', async () => {
    const store = createMemoryStore();
    const text = async (commit: string, path: string): Promise<string | null> => {
      const bytes = await readPath(store, commit, path);
      return bytes === null ? null : Buffer.from(bytes).toString();
    };
    const files = { 'runs/1/events.jsonl': '{}\n', 'runs/2/events.jsonl': '{}\n', keep: 'k' };
    const first = await commitFiles(store, { ref, expected: null, files, message, author });
    expect(first.outcome).toBe('updated');
    const change = { 'runs/1/events.jsonl': '{}\n{}\n', 'runs/2/events.jsonl': null };
    const next = await commitFiles(store, { ref, expected: first.sha, files: change, message, author });
    expect(next.outcome).toBe('updated');
    expect((await store.readCommit(next.sha))?.parents).toEqual([first.sha]);
    expect(await text(next.sha, 'runs/1/events.jsonl')).toBe('{}\n{}\n');
    expect(await text(next.sha, 'keep')).toBe('k');
    expect(await text(next.sha, 'runs/2/events.jsonl')).toBeNull();
    expect(await treeAt(store, next.sha, 'runs/2')).toBeNull();
    expect(await treeAt(store, next.sha, 'keep')).toBeNull();
    expect(await readPath(store, next.sha, 'runs')).toBeNull();
    expect(await treeAt(store, next.sha, '')).toBe((await store.readCommit(next.sha))?.tree);
    expect(await readPath(store, '0'.repeat(40), 'keep')).toBeNull();
  });

  it('reports a stale ref to the second of two writers', async () => {
    const store = createMemoryStore();
    const start = await commitFiles(store, { ref, expected: null, files: { a: '0' }, message, author });
    const write = (a: string) => commitFiles(store, { ref, expected: start.sha, files: { a }, message, author });
    const won = await write('1');
    const lost = await write('2');
    expect([won.outcome, lost.outcome]).toEqual(['updated', 'stale']);
    expect((await store.refs()).get(ref)).toBe(won.sha);
    const again = await commitFiles(store, { ref, expected: null, files: { a: '3' }, message, author });
    expect(again.outcome).toBe('stale');
  });
});

describe('a folder', () => {
  it('becomes the same first commit in both stores, with the same tree as in git', async () => {
    await using folder = await temporaryFolder();
    const directory = join(folder.path, 'lab');
    await mkdir(join(directory, 'scripts/empty'), { recursive: true });
    await mkdir(join(directory, 'sub/.git'), { recursive: true });
    await writeFile(join(directory, 'scripts/run.sh'), 'run\n');
    await chmod(join(directory, 'scripts/run.sh'), 0o755);
    await writeFile(join(directory, 'README.md'), '# lab\n');
    await writeFile(join(directory, 'sub/.git/config'), 'not ours\n');
    await writeFile(join(directory, 'left.pyc'), 'x');
    await symlink('README.md', join(directory, 'link'));
    const skip = (path: string): boolean => path.endsWith('.pyc');

    const memory = createMemoryStore();
    const imported = await importTree(memory, { directory, skip });
    const program = createProgramStore({ directory: join(folder.path, 'lab.git') });
    expect(await importTree(program, { directory, skip })).toEqual(imported);
    expect(imported.outcome).toBe('updated');
    expect((await memory.refs()).get('refs/heads/main')).toBe(imported.sha);
    expect((await importTree(memory, { directory, skip, message: 'Again' })).outcome).toBe('stale');

    await using server = await startGitServer(folder.path);
    const git = async (...args: readonly string[]): Promise<string> => (await server.git(directory, ...args)).out;
    await git('init', '-q');
    await git('add', 'README.md', 'link', 'scripts');
    expect(await git('write-tree')).toBe(await treeAt(memory, imported.sha, ''));
  });
});
