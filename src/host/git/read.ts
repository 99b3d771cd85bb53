/** Reads refs, files and history through the git program. */

import {
  type FileVersion,
  type FolderEntry,
  GitError,
  type GitReader,
  type LoggedCommit,
  type LogQuery,
  type TagText,
  type VersionsQuery,
} from '../../domain/git.ts';
import { WHOLE_TREE } from '../../domain/launch/manifest.ts';
import { brandAs, isSha, isTreeId, type Sha, type TreeId, trimEndCharacters } from '../../domain/values.ts';
import { createKept } from '../memory.ts';
import { listTree } from './export-tree.ts';
import type { Fetcher } from './fetch.ts';
import { type GitCall, type GitMirror, gitError } from './mirror.ts';
import type { GitObject } from './objects.ts';
import { blobIdOf, computeTreeIds, FOLDER_MODE, type TreeRow, textBlobId } from './tree-on-disk.ts';

/** Maximum cached answers. One reconciliation asks for the same history several times. */
const ANSWERS_KEPT = 100;

/** Caches answers about commits, which are immutable. A failed answer is not cached. */
function cacheReads<Asked, Found>(read: (asked: Asked) => Promise<Found>): (asked: Asked) => Promise<Found> {
  const kept = createKept<Promise<Found>>(ANSWERS_KEPT);
  return async (asked) => {
    const key = JSON.stringify(asked);
    try {
      return await kept.get(key, () => read(asked));
    } catch (error) {
      kept.delete(key);
      throw error;
    }
  };
}

/** Larger tags are ignored. */
export const MARK_BYTES_MAX = 8 * 1024;
/** Bound on hashing: 256 versions of 2,880 entries are 0.6 GB, half a second. */
const VERSION_BYTES_HASHED_MAX = 1024 * 1024 * 1024;

export type VersionReader = Pick<GitReader, 'tagTexts' | 'versions' | 'readBlobs' | 'beginningsOf' | 'blobIdOf'>;

/** Tag objects are immutable, so each is read once per process. */
function createVersionReader(mirror: GitMirror, fetcher: Fetcher | null): VersionReader {
  const tags = new Map<string, Omit<TagText, 'name'> | null>();
  return {
    tagTexts: (prefixes) => readTagTexts(mirror, prefixes, tags),
    versions: cacheReads((query: VersionsQuery) => listVersions(mirror, fetcher, query)),
    readBlobs: async (ids) => {
      const found = new Map<TreeId, string>();
      for (const [id, { type, bytes }] of await mirror.objects.read(ids))
        if (type === 'blob') found.set(brandAs(id, isTreeId), bytes.toString('utf8'));
      return found;
    },
    beginningsOf: matchPrefixes,
    blobIdOf: textBlobId,
  };
}

async function readTagTexts(
  { refs, objects }: GitMirror,
  prefixes: readonly string[],
  known: Map<string, Omit<TagText, 'name'> | null>,
): Promise<readonly TagText[]> {
  const listed = [...(await refs.all())].filter(
    ([ref]) => ref.lastIndexOf('/') === TAGS.length - 1 && prefixes.some((one) => ref.startsWith(one, TAGS.length)),
  );
  const fresh = listed.map(([, object]) => object).filter((object) => !known.has(object));
  const tags = await objects.read(fresh, MARK_BYTES_MAX);
  const commits = await objects.read([...tags.values()].map(taggedCommit));
  for (const object of fresh) {
    const tag = tags.get(object);
    known.set(object, tag === undefined ? null : parseTagText(tag, commits));
  }
  return listed.flatMap(([ref, object]) => {
    const text = known.get(object);
    return text == null ? [] : [{ name: ref.slice(TAGS.length), ...text }];
  });
}

const TAGS = 'refs/tags/';

function taggedCommit({ type, bytes }: GitObject): string {
  const head = type === 'tag' ? /^object ([0-9a-f]{40})\ntype commit\n/.exec(bytes.toString('utf8')) : null;
  return head?.[1] ?? '';
}

function parseTagText(tag: GitObject, commits: ReadonlyMap<string, GitObject>): Omit<TagText, 'name'> | null {
  const commit = taggedCommit(tag);
  const object = commits.get(commit);
  if (!isSha(commit) || object?.type !== 'commit') return null;
  const [head = ''] = object.bytes.toString('utf8').split('\n\n', 1);
  const parents = [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, id = '']) => id);
  const text = tag.bytes.toString('utf8');
  const end = text.indexOf('\n\n');
  return { commit, parents: parents.filter(isSha), message: end === -1 ? '' : text.slice(end + 2) };
}

/** Fetches older history until the range is complete. */
async function listVersions(
  mirror: GitMirror,
  fetcher: Fetcher | null,
  query: VersionsQuery,
): Promise<readonly FileVersion[]> {
  for (;;) {
    const { found, commits } = await versionsHere(mirror, query);
    if (fetcher?.isCut(commits) !== true) return found;
    await fetcher.deepen(query.not === null);
  }
}

/** Compares each commit with all parents, so that a merge cannot hide removals. `commits`: the whole range. */
async function versionsHere(
  mirror: GitMirror,
  { from, not, paths }: VersionsQuery,
): Promise<{ readonly found: readonly FileVersion[]; readonly commits: readonly string[] }> {
  const args = [
    '--literal-pathspecs',
    'log',
    '-z',
    '--raw',
    '--no-abbrev',
    '-m',
    '--full-history',
    '--sparse',
    '--no-renames',
    '--no-show-signature',
    '--format=commit %H',
    from,
    ...(not === null ? [] : [`^${not}`]),
    '--',
    ...paths,
  ];
  const output = await mirror.output({ args }, 'unreadable');
  const found = new Map<string, FileVersion>();
  for (const [, before = '', after = '', path = ''] of output.matchAll(RAW_LINE)) {
    for (const blob of [before, after])
      if (isTreeId(blob) && !/^0+$/.test(blob)) found.set(`${blob} ${path}`, { path, blob });
  }
  return { found: [...found.values()], commits: [...output.matchAll(COMMIT_LINE)].map(([, id = '']) => id) };
}

const COMMIT_LINE = /commit ([0-9a-f]{40})/g;
const RAW_LINE = /:\d{6} \d{6} ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]\d*\0([^\0]*)\0/g;

/** The id hashes length and content, so each prefix is hashed separately, longest first. */
export function matchPrefixes(text: string, ids: ReadonlySet<TreeId>): ReadonlySet<TreeId> {
  const bytes = Buffer.from(text, 'utf8');
  const found = new Set<TreeId>();
  let hashed = 0;
  for (let end = bytes.length; found.size < ids.size; end = previousLineStart(bytes, end)) {
    hashed += end;
    if (hashed > VERSION_BYTES_HASHED_MAX) return found;
    const id = blobIdOf(bytes.subarray(0, end));
    if (isTreeId(id) && ids.has(id)) found.add(id);
    if (end === 0) return found;
  }
  return found;
}

function previousLineStart(bytes: Buffer, end: number): number {
  return end < 2 ? 0 : bytes.lastIndexOf(0x0a, end - 2) + 1;
}

/** A `GitReader` on a mirror. Blobs are fetched on first use (partial clone). `fetcher`: null for a checkout, which is read as it is. */
export function createReader(mirror: GitMirror, fetcher: Fetcher | null): GitReader {
  const base = cacheReads(([a, b]: readonly [Sha, Sha]) => findMergeBase(mirror, a, b));
  const changed = cacheReads(([from, to]: readonly [Sha, Sha]) => listChangedPaths(mirror, from, to));
  return {
    fetch: async (request) => {
      if (fetcher === null) throw new GitError('failed', 'a checkout is read as it stands');
      await fetcher.fetch(request);
    },
    resolve: async (ref) => {
      await fetcher?.need(ref);
      return resolveRef(mirror, ref);
    },
    readText: (commit, path) => readText(mirror, commit, path),
    listFiles: (commit, folder) => listFiles(mirror, commit, folder),
    entriesIn: async (commit, folders) =>
      (await Promise.all(folders.map((folder) => listEntries(mirror, commit, folder)))).flat(),
    treeId: async (commit, path, isLeftOut) => {
      if (path === WHOLE_TREE && isLeftOut !== undefined) return treeIdWithout(mirror, commit, isLeftOut);
      const id = (await entryAt(mirror, commit, path === WHOLE_TREE ? '' : path))?.id;
      return id === undefined ? null : brandAs(id, isTreeId);
    },
    log: cacheReads((query: LogQuery) => listCommits(mirror, query)),
    mergeBase: async (a, b) => (a === b ? a : base([a, b])),
    isOnBranch: async (commit) => {
      await fetcher?.need('refs/heads/');
      return isOnBranch(mirror, commit);
    },
    changedPaths: async (from, to) => changed([from, to]),
    ...createVersionReader(mirror, fetcher),
  };
}

async function resolveRef({ refs, objects }: GitMirror, ref: string): Promise<Sha | null> {
  let id = (await refs.all()).get(ref);
  if (id === undefined || ref.startsWith('refs/heads/')) return id === undefined ? null : brandAs(id, isSha);
  // An annotated tag may point to another one.
  while (true) {
    const object = (await objects.read([id])).get(id);
    if (object === undefined) throw new GitError('unreadable', `${ref} cannot be read`);
    if (object.type !== 'tag') return brandAs(id, isSha);
    id = /^object ([0-9a-f]{40})\n/.exec(object.bytes.toString('utf8'))?.[1] ?? '';
  }
}

type TreeEntry = Pick<TreeRow, 'mode' | 'id'>;

/** The file, folder or submodule at a path; '' is the root. */
async function entryAt(mirror: GitMirror, commit: Sha, path: string): Promise<TreeEntry | null> {
  let found: TreeEntry = { mode: FOLDER_MODE, id: await rootTree(mirror, commit) };
  for (const name of path === '' ? [] : path.split('/')) {
    if (found.mode !== FOLDER_MODE) return null;
    const row = (await readTree(mirror, found.id)).find((one) => one.name === name);
    if (row === undefined) return null;
    found = row;
  }
  return found;
}

/** The rows of a tree. */
export async function readTree({ objects }: GitMirror, id: string): Promise<readonly TreeRow[]> {
  const tree = (await objects.read([id])).get(id);
  if (tree?.type !== 'tree') throw new GitError('unreadable', `the tree ${id} cannot be read`);
  return parseTree(tree.bytes);
}

/** The id of the commit's root tree. Throws `GitError` if the commit cannot be read. */
export async function rootTree({ objects }: GitMirror, commit: Sha): Promise<string> {
  const object = (await objects.read([commit])).get(commit);
  const tree = object?.type === 'commit' ? /^tree ([0-9a-f]{40})\n/.exec(object.bytes.toString('latin1')) : null;
  if (tree?.[1] === undefined) throw new GitError('unreadable', `the commit ${commit} cannot be read`);
  return tree[1];
}

async function treeIdWithout(mirror: GitMirror, commit: Sha, isLeftOut: (path: string) => boolean): Promise<TreeId> {
  const { files, submodules } = await listTree(mirror, commit, [WHOLE_TREE]);
  const kept = [...files].flatMap(([path, entry]) => {
    const [mode = '', blob = ''] = entry.split(' ');
    return isLeftOut(path) ? [] : [{ path, mode, blob }];
  });
  const others = Object.fromEntries(Object.entries(submodules).filter(([path]) => !isLeftOut(path)));
  return brandAs(computeTreeIds(kept, others, [WHOLE_TREE])[WHOLE_TREE] ?? '', isTreeId);
}

async function readText(mirror: GitMirror, commit: Sha, path: string): Promise<string | null> {
  const entry = await entryAt(mirror, commit, path);
  if (entry === null || entry.mode === FOLDER_MODE || entry.mode === SUBMODULE_MODE) return null;
  const blob = (await mirror.objects.read([entry.id])).get(entry.id);
  if (blob === undefined) throw new GitError('unreadable', `${path} at ${commit} cannot be had`);
  const text = blob.bytes.toString('utf8');
  // Decoding replaces invalid UTF-8; comparing the id detects it.
  if (blobIdOf(Buffer.from(text, 'utf8')) !== entry.id)
    throw new GitError('unreadable', `${path} at ${commit} is not UTF-8`);
  return text;
}

const SUBMODULE_MODE = '160000';

async function listFiles(mirror: GitMirror, commit: Sha, folder: string): Promise<readonly string[]> {
  const path = folder === '' ? WHOLE_TREE : `${trimEndCharacters(folder, '/')}/`;
  return [...(await listTree(mirror, commit, [path])).files.keys()].sort();
}

async function listEntries(mirror: GitMirror, commit: Sha, folder: string): Promise<readonly FolderEntry[]> {
  const entry = await entryAt(mirror, commit, folder);
  if (entry?.mode !== FOLDER_MODE) return [];
  const rows = (await readTree(mirror, entry.id)).filter(({ mode }) => mode !== SUBMODULE_MODE);
  return rows.map(({ mode, name, id }) => ({
    path: `${folder}/${name}`,
    type: mode === FOLDER_MODE ? 'tree' : 'blob',
    id: brandAs(id, isTreeId),
    ...(mode === '120000' ? { isLink: true as const } : {}),
    ...(mode === '100755' ? { isExecutable: true as const } : {}),
  }));
}

async function listCommits(mirror: GitMirror, query: LogQuery): Promise<readonly LoggedCommit[]> {
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
          ...leavesOut.flatMap(excludePathspec),
        ]),
  ];
  return splitAtNul(await mirror.output({ args }, 'unreadable')).map((record) => {
    const [sha = '', seconds = '', authorName = '', ...subject] = record.split('\n');
    return {
      sha: brandAs(sha, isSha),
      subject: subject.join('\n').trimEnd(),
      authorName,
      atMs: Number(seconds) * 1000,
    };
  });
}

/** Converts a .gitignore pattern to an excluding pathspec; negated ones (`!`) exclude nothing. */
function excludePathspec(pattern: string): readonly string[] {
  if (/^[!#]/.test(pattern)) return [];
  const isFolder = pattern.endsWith('/');
  const bare = pattern.slice(pattern.startsWith('/') ? 1 : 0, isFolder ? -1 : undefined);
  const anywhere = pattern.startsWith('/') || bare.includes('/') ? bare : `**/${bare}`;
  const glob = `:(top,exclude,glob)${anywhere}`;
  return isFolder ? [`${glob}/**`] : [glob, `${glob}/**`];
}

async function listChangedPaths(mirror: GitMirror, from: Sha, to: Sha): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', from, to];
  return splitAtNul(await mirror.output({ args }, 'unreadable')).sort();
}

async function findMergeBase(mirror: GitMirror, a: Sha, b: Sha): Promise<Sha | null> {
  const call = { args: ['merge-base', a, b] };
  const result = await mirror.run(call);
  if (result.exitCode === 1) return null;
  if (!result.ok) throw gitError('unreadable', call, result);
  return brandAs(result.stdout.trim(), isSha);
}

/** All branches were fetched, so an unavailable commit is on none. */
async function isOnBranch(mirror: GitMirror, commit: Sha): Promise<boolean> {
  for (const [ref, id] of await mirror.refs.all()) if (id === commit && ref.startsWith('refs/heads/')) return true;
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', commit, 'refs/heads/'];
  const call: GitCall = { args, isLocal: true };
  const result = await mirror.run(call);
  if (result.ok) return result.stdout.trim() !== '';
  if (/no such commit|malformed object name/.test(result.stderr)) return false;
  throw gitError('unreadable', call, result);
}

function splitAtNul(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}

/** The rows of a tree object. */
function parseTree(bytes: Buffer): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at);
    const end = bytes.indexOf(0, space);
    const id = bytes.toString('hex', end + 1, end + 21);
    rows.push({ mode: bytes.toString('utf8', at, space), name: bytes.toString('utf8', space + 1, end), id });
    at = end + 21;
  }
  return rows;
}
