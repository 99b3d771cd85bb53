// Exports a commit's files to a folder: exactly the committed bytes, with any attributes in the commit.

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GitExporter, GitReader } from '../../../src/domain/git.ts';
import type { Sha } from '../../../src/domain/values.ts';
import { createGitProgram } from '../../../src/host/git/git-program.ts';
import { runProgram } from '../../../src/host/process.ts';
import { createBareRepository, createScratchFolder, environment, identity, sha } from './scratch-repository.ts';

type Committed = {
  readonly commit: Sha;
  readonly git: GitReader & GitExporter;
  readonly idOf: (revision: string) => Promise<string>;
  /** How often the mirror received objects: each answer is kept as a separate pack. */
  readonly answers: () => number;
};

/** A repository with one commit of the files that `write` leaves in a folder. */
async function committed(write: (folder: string) => void | Promise<void>): Promise<Committed> {
  const remote = await createBareRepository();
  const work = createScratchFolder();
  const git = async (...args: readonly string[]): Promise<void> => {
    const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@lab.example', '-c', 'core.autocrlf=false'];
    const result = await runProgram('git', [...author, ...args], { cwd: work, env: environment });
    if (!result.ok) throw new Error(`git ${args.join(' ')}: ${result.stderr}`);
  };
  await git('init', '--quiet', '-b', 'main');
  // An attacker commits the bytes as intended, so local attributes must not change them.
  writeFileSync(join(work, '.git/info/attributes'), '* -text -ident -filter !working-tree-encoding\n');
  await write(work);
  await git('add', '--all', '--force');
  await git('commit', '--quiet', '-m', 'Files');
  await git('push', '--quiet', remote.path, 'HEAD:refs/heads/main');
  const directory = join(createScratchFolder(), 'mirror.git');
  const client = createGitProgram({
    directory,
    remoteUrl: `file://${remote.path}`,
    token: async () => null,
    environment,
  })(identity);
  await client.fetch({ branches: ['refs/heads/main'] });
  return {
    commit: sha(await remote.git('rev-parse', 'main')),
    git: client,
    idOf: (revision) => remote.git('rev-parse', revision),
    answers: () => readdirSync(join(directory, 'objects/pack')).filter((name) => name.endsWith('.pack')).length,
  };
}

const put =
  (files: Readonly<Record<string, string>>) =>
  (folder: string): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };

describe('an export', () => {
  it('fetches all missing contents in one request, and no unneeded ones', async () => {
    const files = Array.from({ length: 40 }, (_, index) => [`lib/${index}.py`, `print(${index})\n`] as const);
    const { commit, git, answers } = await committed(put({ ...Object.fromEntries(files), 'big.bin': 'x' }));
    const before = answers();
    const { files: exported } = await git.exportTree(commit, ['lib'], join(createScratchFolder(), 'tree'));
    expect(exported).toHaveLength(40);
    expect(answers() - before).toBe(1);
    await git.exportTree(commit, ['lib'], join(createScratchFolder(), 'again'));
    expect(answers() - before).toBe(1);
    await git.exportTree(commit, ['.'], join(createScratchFolder(), 'whole'));
    expect(answers() - before).toBe(2);
  });

  it('has the ids that git computes, for files, executables, links, and folders that sort oddly', async () => {
    const { commit, git, idOf } = await committed((folder) => {
      put({ 'lib/a/b.py': 'b\n', 'lib/a.py': 'a\n', 'lib/a-b': '', 'README.md': '#\n', 'exp/é.py': 'x' })(folder);
      chmodSync(join(folder, 'lib/a.py'), 0o755);
      symlinkSync('a/b.py', join(folder, 'lib/link'));
    });
    const folder = join(createScratchFolder(), 'tree');
    const whole = await git.exportTree(commit, ['.'], folder);
    expect(whole.ids).toEqual({ '.': await idOf('main^{tree}') });
    expect(whole.files.map(({ path, mode, target }) => [path, mode, target])).toEqual([
      ['README.md', '100644', null],
      ['exp/é.py', '100644', null],
      ['lib/a-b', '100644', null],
      ['lib/a.py', '100755', null],
      ['lib/a/b.py', '100644', null],
      ['lib/link', '120000', 'a/b.py'],
    ]);
    expect(readlinkSync(join(folder, 'lib/link'))).toBe('a/b.py');
    const part = await git.exportTree(commit, ['lib', 'README.md'], join(createScratchFolder(), 'tree'));
    expect(part.ids).toEqual({ lib: await idOf('main:lib'), 'README.md': await idOf('main:README.md') });
    expect(part.files).toHaveLength(5);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  // threat T66
  it.each([
    ['line endings', '* text eol=crlf\n'],
    ['an ident', '* ident\n'],
    ['an encoding', '* text working-tree-encoding=UTF-16LE\n'],
    ['a filter', '* filter=lfs diff=lfs merge=lfs -text\n'],
    ['files to leave out and placeholders to fill in', '*.py export-ignore\n* export-subst\n'],
    ['a macro', '[attr]text ident\n* text=auto eol=crlf\n'],
  ])('contains the committed bytes, with attributes for %s', async (_, attributes) => {
    const text = 'a = "$Id$ $Format:%an$"\nb = 1\n';
    const { commit, git, idOf } = await committed(put({ 'lib/a.py': text, 'lib/.gitattributes': attributes }));
    const folder = join(createScratchFolder(), 'tree');
    const { ids } = await git.exportTree(commit, ['lib'], folder);
    expect(readFileSync(join(folder, 'lib/a.py'), 'utf8')).toBe(text);
    expect(ids).toEqual({ lib: await idOf('main:lib') });
  });

  it('treats a path literally, not as a pattern', async () => {
    const { commit, git } = await committed(put({ 'lib/a.py': 'a', 'l*': 'b' }));
    const { files } = await git.exportTree(commit, ['l*'], join(createScratchFolder(), 'tree'));
    expect(files.map(({ path }) => path)).toEqual(['l*']);
  });

  it('names a submodule without its files', async () => {
    const { commit, git, idOf } = await committed(async (folder) => {
      put({ 'lib/a.py': 'a' })(folder);
      const other = `160000,${'1'.repeat(40)},lib/other`;
      await runProgram('git', ['update-index', '--add', '--cacheinfo', other], { cwd: folder, env: environment });
      mkdirSync(join(folder, 'lib/other'));
    });
    const { ids, submodules } = await git.exportTree(commit, ['lib'], join(createScratchFolder(), 'tree'));
    expect({ ids, submodules }).toEqual({ ids: { lib: await idOf('main:lib') }, submodules: ['lib/other'] });
  });

  it('refuses a folder that is not empty', async () => {
    const { commit, git } = await committed(put({ 'lib/a.py': 'a' }));
    const folder = createScratchFolder();
    put({ 'sitecustomize.py': 'planted' })(folder);
    await expect(git.exportTree(commit, ['lib'], folder)).rejects.toThrow('is not empty');
  });
});
