/** The API's `.diff` and `.patch`, checked with git itself: git applies them and gets the same tree. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, it } from 'vitest';
import { at, createTown } from '../world/town.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

describe('the text of a pull request', () => {
  it('can be applied with git am and git apply, and gives the tree of the head', async () => {
    const town = createTown();
    const base = { 'a.txt': 'one\ntwo\n', 'gone.txt': 'x\n', 'umlaut ä.txt': 'ü\n' };
    await town.commit('main', base);
    await town.commit('ferry', { 'a.txt': 'one\nthree\n', 'new/b.txt': 'b' }, 'First change\n\nWhy it was made.');
    await town.commit('ferry', { 'gone.txt': null, 'umlaut ä.txt': 'ö\n' }, 'Second change');
    const ada = town.as(town.seeded.tokens.ada);
    await ada.request('POST /repos/{owner}/{repo}/pulls', { ...at, title: 'T', head: 'ferry', base: 'main' });
    const text = async (format: 'diff' | 'patch'): Promise<string> => {
      const { data } = await ada.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
        ...at,
        pull_number: 1,
        mediaType: { format },
      });
      return String(data);
    };
    const { world, seeded } = town;
    const store = world.gitOf(seeded.repo);
    const head = (await store.refs('refs/heads/ferry')).get('refs/heads/ferry') ?? '';
    const wanted = (await store.readCommit(head))?.tree;

    const folder = await mkdtemp(join(tmpdir(), 'playground-patch-'));
    folders.push(folder);
    const git = async (...args: readonly string[]): Promise<string> => {
      const who = ['-c', 'user.name=T', '-c', 'user.email=t@lab.example'];
      return (await execa('git', [...who, ...args], { cwd: folder })).stdout;
    };
    await git('init', '-q');
    for (const [name, content] of Object.entries(base)) await writeFile(join(folder, name), content);
    await git('add', '.');
    await git('commit', '-q', '-m', 'Base');
    await writeFile(join(folder, '.git/p.diff'), await text('diff'));
    await git('apply', '--index', '.git/p.diff');
    expect(await git('write-tree')).toBe(wanted);
    await git('reset', '-q', '--hard');
    await writeFile(join(folder, '.git/p.patch'), await text('patch'));
    await git('am', '-q', '.git/p.patch');
    expect(await git('rev-parse', 'HEAD^{tree}')).toBe(wanted);
    expect(await git('log', '-2', '--format=%an <%ae> %s %b')).toBe(
      'Ada Lindqvist <ada@lab.example> Second change \nAda Lindqvist <ada@lab.example> First change Why it was made.\n',
    );
  });
});
