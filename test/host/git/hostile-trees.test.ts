// Trees that no ordinary git writes: the commit is exported exactly, or the export is refused; no file is
// written outside the folder.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sha } from '../../../src/domain/values.ts';
import { createGitProgram } from '../../../src/host/git/git-program.ts';
import { createBareRepository, createScratchFolder, environment, identity, sha } from './scratch-repository.ts';

type Remote = Awaited<ReturnType<typeof createBareRepository>>;
type Row = readonly [mode: string, name: string, id: string];

/** An object with these bytes, which git does not validate. */
async function put(remote: Remote, type: 'blob' | 'tree', bytes: Uint8Array): Promise<string> {
  const file = join(createScratchFolder(), 'object');
  writeFileSync(file, bytes);
  return remote.git('hash-object', '-t', type, '-w', '--literally', file);
}

const blob = (remote: Remote, text: string): Promise<string> => put(remote, 'blob', Buffer.from(text));

const tree = (remote: Remote, rows: readonly Row[]): Promise<string> =>
  put(
    remote,
    'tree',
    Buffer.concat(rows.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])),
  );

/** Exports the folder `lib` of a commit into `parent/tree`. */
async function exported(
  remote: Remote,
  rows: readonly Row[],
): Promise<{
  readonly parent: string;
  readonly work: Promise<{ readonly ids: object; readonly files: readonly { path: string }[] }>;
  readonly id: string;
}> {
  const id = await tree(remote, rows);
  const root = await tree(remote, [['40000', 'lib', id]]);
  const commit: Sha = sha(await remote.git('commit-tree', root, '-m', 'hostile'));
  await remote.git('update-ref', 'refs/heads/main', commit);
  const parent = createScratchFolder();
  const git = createGitProgram({
    directory: join(createScratchFolder(), 'mirror.git'),
    remoteUrl: `file://${remote.path}`,
    token: async () => null,
    environment,
  })(identity);
  await git.fetch();
  return { parent, id, work: git.exportTree(commit, ['lib'], join(parent, 'tree')) };
}

describe('an export of a malformed tree', () => {
  // threat T67
  it.each<readonly [string, (remote: Remote) => Promise<readonly Row[]>]>([
    ['a name outside the folder', async (remote) => [['100644', '../evil', await blob(remote, 'x')]]],
    [
      'the parent folder',
      async (remote) => [['40000', '..', await tree(remote, [['100644', 'evil', await blob(remote, 'x')]])]],
    ],
    [
      'a repository with a hook',
      async (remote) => {
        const hook = await tree(remote, [['100755', 'post-checkout', await blob(remote, '#!/bin/sh\n')]]);
        return [['40000', '.git', await tree(remote, [['40000', 'hooks', hook]])]];
      },
    ],
    [
      'a link and a folder of the same name',
      async (remote) => [
        ['120000', 'out', await blob(remote, '../..')],
        ['40000', 'out', await tree(remote, [['100644', 'evil', await blob(remote, 'x')]])],
      ],
    ],
    ['a name that is too long for a disk', async (remote) => [['100644', 'a'.repeat(300), await blob(remote, 'x')]]],
  ])('with %s is refused, and no file is written outside', async (_, rows) => {
    const remote = await createBareRepository();
    const { parent, work } = await exported(remote, await rows(remote));
    await expect(work).rejects.toThrow();
    expect(readdirSync(parent)).toEqual(['tree']);
    expect(existsSync(join(parent, 'evil'))).toBe(false);
  });

  it('with a duplicate file has another id than the commit, so that no approval matches', async () => {
    const remote = await createBareRepository();
    const twice = ['shown', 'run'].map(async (text): Promise<Row> => ['100644', 'a.py', await blob(remote, text)]);
    const { work, id } = await exported(remote, await Promise.all(twice));
    expect((await work).ids).not.toEqual({ lib: id });
  });

  it('with names that resemble options keeps exactly those names', async () => {
    const remote = await createBareRepository();
    const odd = ['--output=x', '-rf', 'A.py', 'a.py', 'line\nend.py', 'tab\t"quote".py'];
    const names = [...odd, `${'d'.repeat(250)}.py`].toSorted();
    const rows = await Promise.all(names.map(async (name): Promise<Row> => ['100644', name, await blob(remote, name)]));
    const { parent, work, id } = await exported(remote, rows);
    const { files, ids } = await work;
    expect(files.map(({ path }) => path.slice('lib/'.length))).toEqual(names);
    expect(ids).toEqual({ lib: id });
    expect(readFileSync(join(parent, 'tree/lib/a.py'), 'utf8')).toBe('a.py');
  });
});
