/** Exports files of a commit. */

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExportedFile, type ExportedTree, GitError } from '../../domain/git.ts';
import type { Sha } from '../../domain/values.ts';
import type { GitMirror } from './mirror.ts';
import { computeTreeIds, joinFirst, listFilesOnDisk } from './tree-on-disk.ts';

/**
 * Exports a commit's files byte for byte: fetches missing blobs together, then runs `git checkout` with a private index and work tree. The
 * mirror's info/attributes disables conversions by `.gitattributes`. The result is read back and compared with the commit.
 */
export async function exportTree(
  mirror: GitMirror,
  commit: Sha,
  paths: readonly string[],
  directory: string,
): Promise<ExportedTree> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if ((await readdir(directory)).length > 0)
    throw new GitError('failed', `${directory} is not empty: something else lies there`);
  const listed = await listTree(mirror, commit, paths);
  const blobs = [...listed.files.values()].map((row) => row.slice(row.indexOf(' ') + 1));
  await mirror.objects.fetchMissing(blobs);
  await checkOut(mirror, commit, paths, directory);
  const files = await listFilesOnDisk(directory);
  const differences = listDifferences(listed.files, files);
  if (differences.length > 0)
    throw new GitError('unreadable', `the export of ${commit} is not what it has: ${joinFirst(differences)}`);
  return { files, submodules: Object.keys(listed.submodules), ids: computeTreeIds(files, listed.submodules, paths) };
}

async function checkOut(mirror: GitMirror, commit: Sha, paths: readonly string[], directory: string): Promise<void> {
  const { directory: gitDirectory } = mirror.options;
  await mkdir(join(gitDirectory, 'info'), { recursive: true });
  await writeFile(join(gitDirectory, 'info', 'attributes'), NO_CONVERSION);
  const index = join(gitDirectory, `export-${randomUUID()}.index`);
  try {
    const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const args = [
      '--literal-pathspecs',
      '--work-tree',
      directory,
      ...settings,
      'checkout',
      '--quiet',
      commit,
      '--',
      ...paths,
    ];
    await mirror.output({ args, env: { GIT_INDEX_FILE: index } }, 'unreadable');
  } finally {
    await rm(index, { force: true });
  }
}

/** No conversions. The encoding must be unspecified, because git rejects `-working-tree-encoding`. */
const NO_CONVERSION = '* -text -ident -filter !eol !working-tree-encoding\n';

const SETTINGS = {
  'core.bare': 'false',
  'core.hooksPath': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.autocrlf': 'false',
  'core.symlinks': 'true',
  'core.fileMode': 'true',
  'core.sparseCheckout': 'false',
} as const;

type ListedTree = {
  /** Path → mode and blob. */
  readonly files: ReadonlyMap<string, string>;
  readonly submodules: Readonly<Record<string, string>>;
};

/** Lists files and submodules without reading contents. */
export async function listTree(mirror: GitMirror, commit: Sha, paths: readonly string[]): Promise<ListedTree> {
  const asked = paths.includes('.') ? [] : ['--', ...paths];
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', commit, ...asked];
  const output = await mirror.output({ args }, 'unreadable');
  const files = new Map<string, string>();
  const submodules: Record<string, string> = {};
  for (const row of output.split('\0')) {
    if (row === '') continue;
    const [, mode = '', type, id = '', path = ''] = /^(\d{6}) (\w+) ([0-9a-f]{40})\t([\s\S]*)$/.exec(row) ?? [];
    if (type === 'commit') submodules[path] = id;
    else files.set(path, `${mode} ${id}`);
  }
  return { files, submodules };
}

function listDifferences(listed: ReadonlyMap<string, string>, found: readonly ExportedFile[]): readonly string[] {
  const there = new Set(found.map(({ path }) => path));
  const missing = [...listed.keys()].filter((path) => !there.has(path)).map((path) => `${path} is missing`);
  const other = found.flatMap(({ path, mode, blob }) => {
    const expected = listed.get(path);
    if (expected === undefined) return [`${path} is nothing of the commit`];
    return expected === `${mode} ${blob}` ? [] : [`${path} differs`];
  });
  return [...missing, ...other];
}
