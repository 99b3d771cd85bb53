/** Reads refs, files and history through the git program. */

import {
  type FolderEntry,
  GitError,
  type GitReader,
  type LoggedCommit,
  type LogQuery,
} from '../../domain/git.ts';
import { branded, isSha, isTreeId, type Sha, type TreeId } from '../../domain/ids.ts';
import { WHOLE_TREE } from '../../domain/launch/whole-tree.ts';
import { trimmedEnd } from '../../domain/text.ts';
import { listOf } from './export-tree.ts';
import { type GitMirror, gitError } from './mirror.ts';
import { blobIdOf, idsOf } from './tree-on-disk.ts';
import { createVersionReader } from './versions.ts';

const REFSPECS = [
  '+refs/heads/*:refs/heads/*',
  '+refs/tags/*:refs/tags/*',
  '+refs/ferrybot/*:refs/ferrybot/*',
];

/** A `GitReader` on a mirror. Blobs are fetched on first use (partial clone). */
export function createReader(mirror: GitMirror): GitReader {
  return {
    fetch: async () => {
      const args = [
        'fetch',
        '--quiet',
        '--prune',
        '--no-tags',
        '--no-write-fetch-head',
        '--filter=blob:none',
        'origin',
      ];
      await mirror.output({ args: [...args, ...REFSPECS] }, 'unreachable');
    },
    resolve: (ref) => resolve(mirror, ref),
    readText: (commit, path) => readText(mirror, commit, path),
    listFiles: (commit, folder) => listFiles(mirror, commit, folder),
    entriesIn: (commit, folders) => entriesIn(mirror, commit, folders),
    treeId: async (commit, path, isLeftOut) => {
      if (path === WHOLE_TREE && isLeftOut !== undefined) return treeWithout(mirror, commit, isLeftOut);
      if (path === '' || path === WHOLE_TREE) return rootTree(mirror, commit);
      return (await entryAt(mirror, commit, path))?.id ?? null;
    },
    log: (query) => log(mirror, query),
    mergeBase: (a, b) => mergeBase(mirror, a, b),
    isOnBranch: (commit) => isOnBranch(mirror, commit),
    changedPaths: async (from, to) => {
      const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', from, to];
      return zeroSeparated(await mirror.output({ args }, 'unreadable')).sort();
    },
    ...createVersionReader(mirror),
  };
}

async function resolve(mirror: GitMirror, ref: string): Promise<Sha | null> {
  // `show-ref --verify` takes only full names, so a branch named like a commit id is harmless.
  const found = await mirror.run({ args: ['show-ref', '--verify', '--hash', '--dereference', ref] });
  if (!found.ok) {
    if (found.exitCode === 1 || /not a valid ref/.test(found.stderr)) return null;
    throw gitError('failed', { args: ['show-ref'] }, found);
  }
  // An annotated tag has two lines; the second is its target.
  const [id = ''] = (found.stdout.trim().split('\n').at(-1) ?? '').split(' ');
  return branded(id, isSha);
}

type TreeEntry = { readonly type: string; readonly id: TreeId };

/** Without globs or `..`. */
async function entryAt(mirror: GitMirror, commit: Sha, path: string): Promise<TreeEntry | null> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', path];
  const [line] = zeroSeparated(await mirror.output({ args }, 'unreadable'));
  if (line === undefined) return null;
  const match = /^\d{6} (\w+) ([0-9a-f]{40})\t([\s\S]*)$/.exec(line);
  if (match === null || match[3] !== path) return null;
  return { type: match[1] ?? '', id: branded(match[2] ?? '', isTreeId) };
}

async function rootTree(mirror: GitMirror, commit: Sha): Promise<TreeId> {
  const id = await mirror.output({ args: ['rev-parse', '--verify', `${commit}^{tree}`] }, 'unreadable');
  return branded(id.trim(), isTreeId);
}

async function treeWithout(
  mirror: GitMirror,
  commit: Sha,
  isLeftOut: (path: string) => boolean,
): Promise<TreeId> {
  const { files, submodules } = await listOf(mirror, commit, [WHOLE_TREE]);
  const kept = [...files].flatMap(([path, entry]) => {
    const [mode = '', blob = ''] = entry.split(' ');
    return isLeftOut(path) ? [] : [{ path, mode, blob }];
  });
  const others = Object.fromEntries(Object.entries(submodules).filter(([path]) => !isLeftOut(path)));
  return branded(idsOf(kept, others, [WHOLE_TREE])[WHOLE_TREE] ?? '', isTreeId);
}

async function readText(mirror: GitMirror, commit: Sha, path: string): Promise<string | null> {
  // Usually one process. The name ends at a newline, so such a path needs a lookup.
  const found = path.includes('\n') ? null : await readBlob(mirror, `${commit}:${path}`);
  const entry = found === null ? await entryAt(mirror, commit, path) : null;
  if (found === null && entry?.type !== 'blob') return null;
  const blob = found ?? (await readBlob(mirror, entry?.id ?? ''));
  if (blob === null) throw new GitError('unreadable', `${path} at ${commit} cannot be had`);
  // Decoding replaces invalid UTF-8; comparing the id detects it.
  if (blobIdOf(Buffer.from(blob.text, 'utf8')) !== blob.id)
    throw new GitError('unreadable', `${path} at ${commit} is not UTF-8`);
  return blob.text;
}

/** Null if missing, not a blob, or unavailable, which git does not distinguish. */
async function readBlob(
  mirror: GitMirror,
  name: string,
): Promise<{ readonly id: string; readonly text: string } | null> {
  const result = await mirror.run({ args: ['cat-file', '--batch'], input: `${name}\n` });
  const head = /^([0-9a-f]{40}) blob \d+\n/.exec(result.stdout);
  if (!result.ok || head === null) return null;
  return { id: head[1] ?? '', text: result.stdout.slice(head[0].length, -1) };
}

async function listFiles(mirror: GitMirror, commit: Sha, folder: string): Promise<readonly string[]> {
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--name-only', '--full-tree', commit];
  const scoped = folder === '' ? args : [...args, '--', `${trimmedEnd(folder, '/')}/`];
  return zeroSeparated(await mirror.output({ args: scoped }, 'unreadable')).sort();
}

async function entriesIn(
  mirror: GitMirror,
  commit: Sha,
  folders: readonly string[],
): Promise<readonly FolderEntry[]> {
  if (folders.length === 0) return [];
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--'];
  const listed = await mirror.output(
    { args: [...args, ...folders.map((folder) => `${folder}/`)] },
    'unreadable',
  );
  return zeroSeparated(listed).flatMap((line): readonly FolderEntry[] => {
    const [, mode, type = '', id = '', path = ''] =
      /^(\d{6}) (blob|tree) ([0-9a-f]{40})\t([\s\S]*)$/.exec(line) ?? [];
    if (!isTreeId(id) || (type !== 'blob' && type !== 'tree')) return [];
    const kind = mode === '120000' ? { isLink: true as const } : {};
    return [{ path, type, id, ...kind, ...(mode === '100755' ? { isExecutable: true } : {}) }];
  });
}

async function log(mirror: GitMirror, query: LogQuery): Promise<readonly LoggedCommit[]> {
  const { leavesOut = [] } = query;
  const args = [
    ...(leavesOut.length === 0 ? ['--literal-pathspecs'] : []),
    'log',
    '-z',
    '--no-show-signature',
    '--format=%H%n%ct%n%an%n%s',
    `--max-count=${query.limit}`,
    ...(query.sinceMs === null ? [] : [`--since=${Math.floor(query.sinceMs / 1000)}`]),
    query.from,
    ...(query.not === null ? [] : [`^${query.not}`]),
    '--',
    ...(leavesOut.length === 0
      ? query.paths
      : [
          ...query.paths.map((path) => `:(top,literal)${path === WHOLE_TREE ? '' : path}`),
          ...leavesOut.flatMap(excluded),
        ]),
  ];
  return zeroSeparated(await mirror.output({ args }, 'unreadable')).map((record) => {
    const [sha = '', seconds = '', authorName = '', ...subject] = record.split('\n');
    return {
      sha: branded(sha, isSha),
      subject: subject.join('\n').trimEnd(),
      authorName,
      atMs: Number(seconds) * 1000,
    };
  });
}

/** Converts a .gitignore pattern to an excluding pathspec; negated ones (`!`) exclude nothing. */
function excluded(pattern: string): readonly string[] {
  if (/^[!#]/.test(pattern)) return [];
  const isFolder = pattern.endsWith('/');
  const bare = pattern.slice(pattern.startsWith('/') ? 1 : 0, isFolder ? -1 : undefined);
  const anywhere = pattern.startsWith('/') || bare.includes('/') ? bare : `**/${bare}`;
  const glob = `:(top,exclude,glob)${anywhere}`;
  return isFolder ? [`${glob}/**`] : [glob, `${glob}/**`];
}

async function mergeBase(mirror: GitMirror, a: Sha, b: Sha): Promise<Sha | null> {
  const call = { args: ['merge-base', a, b] };
  const result = await mirror.run(call);
  if (result.exitCode === 1) return null;
  if (!result.ok) throw gitError('unreadable', call, result);
  return branded(result.stdout.trim(), isSha);
}

/** All commits of branches were fetched, so an unavailable one is on none. */
async function isOnBranch(mirror: GitMirror, commit: Sha): Promise<boolean> {
  const call = {
    args: ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', commit, 'refs/heads/'],
    env: { GIT_NO_LAZY_FETCH: '1' },
  };
  const result = await mirror.run(call);
  if (result.ok) return result.stdout.trim() !== '';
  if (/no such commit|malformed object name/.test(result.stderr)) return false;
  throw gitError('unreadable', call, result);
}

function zeroSeparated(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}
