/** Reads the history of append-only files and the tags that mark it, by id where possible. */

import type { FileVersion, GitReader, TagText, VersionsQuery } from '../../domain/git.ts';
import { branded, isSha, isTreeId, type TreeId } from '../../domain/ids.ts';
import type { GitMirror } from './mirror.ts';
import type { GitObject } from './objects.ts';
import { readOnce } from './read-once.ts';
import { blobIdOf } from './tree-on-disk.ts';

/** Larger tags are ignored. */
export const MARK_BYTES_MAX = 8 * 1024;
/** Bound on hashing: 256 versions of 2,880 entries are 0.6 GB, half a second. */
const VERSION_BYTES_HASHED_MAX = 1024 * 1024 * 1024;

export type VersionReader = Pick<
  GitReader,
  'tagTexts' | 'versions' | 'readBlobs' | 'beginningsOf' | 'blobIdOf'
>;

/** Tag objects are immutable, so each is read once per process. */
export function createVersionReader(mirror: GitMirror): VersionReader {
  const tags = new Map<string, Omit<TagText, 'name'> | null>();
  return {
    tagTexts: (prefix) => tagTexts(mirror, `refs/tags/${prefix}`, tags),
    versions: readOnce((query: VersionsQuery) => versions(mirror, query)),
    readBlobs: async (ids) => {
      const found = new Map<TreeId, string>();
      for (const [id, { type, bytes }] of await mirror.objects.read(ids))
        if (type === 'blob') found.set(branded(id, isTreeId), bytes.toString('utf8'));
      return found;
    },
    beginningsOf,
    blobIdOf: idOfText,
  };
}

/** Git's blob id of a text. */
export function idOfText(text: string): TreeId {
  return branded(blobIdOf(Buffer.from(text, 'utf8')), isTreeId);
}

async function tagTexts(
  { refs, objects }: GitMirror,
  prefix: string,
  known: Map<string, Omit<TagText, 'name'> | null>,
): Promise<readonly TagText[]> {
  const listed = [...(await refs.all())].filter(
    ([ref]) => ref.startsWith(prefix) && !ref.slice(prefix.length).includes('/'),
  );
  const fresh = listed.map(([, object]) => object).filter((object) => !known.has(object));
  const tags = await objects.read(fresh, MARK_BYTES_MAX);
  const commits = await objects.read([...tags.values()].map(commitOfTag));
  for (const object of fresh) {
    const tag = tags.get(object);
    known.set(object, tag === undefined ? null : textOfTag(tag, commits));
  }
  return listed.flatMap(([ref, object]) => {
    const text = known.get(object);
    return text == null ? [] : [{ name: ref.slice('refs/tags/'.length), ...text }];
  });
}

function commitOfTag({ type, bytes }: GitObject): string {
  const head = type === 'tag' ? /^object ([0-9a-f]{40})\ntype commit\n/.exec(bytes.toString('utf8')) : null;
  return head?.[1] ?? '';
}

function textOfTag(tag: GitObject, commits: ReadonlyMap<string, GitObject>): Omit<TagText, 'name'> | null {
  const commit = commitOfTag(tag);
  const object = commits.get(commit);
  if (!isSha(commit) || object?.type !== 'commit') return null;
  const [head = ''] = object.bytes.toString('utf8').split('\n\n', 1);
  const parents = [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map(([, id = '']) => id);
  const text = tag.bytes.toString('utf8');
  const end = text.indexOf('\n\n');
  return { commit, parents: parents.filter(isSha), message: end === -1 ? '' : text.slice(end + 2) };
}

/** Compares each commit with all parents, so that a merge cannot hide removals. */
async function versions(
  mirror: GitMirror,
  { from, not, paths }: VersionsQuery,
): Promise<readonly FileVersion[]> {
  const args = [
    '--literal-pathspecs',
    'log',
    '-z',
    '--raw',
    '--no-abbrev',
    '-m',
    '--full-history',
    '--no-renames',
    '--no-show-signature',
    '--format=',
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
  return [...found.values()];
}

const RAW_LINE = /:\d{6} \d{6} ([0-9a-f]{40}) ([0-9a-f]{40}) [A-Z]\d*\0([^\0]*)\0/g;

/** The id hashes length and content, so each prefix is hashed separately, longest first. */
export function beginningsOf(text: string, ids: ReadonlySet<TreeId>): ReadonlySet<TreeId> {
  const bytes = Buffer.from(text, 'utf8');
  const found = new Set<TreeId>();
  let hashed = 0;
  for (let end = bytes.length; found.size < ids.size; end = lineBefore(bytes, end)) {
    hashed += end;
    if (hashed > VERSION_BYTES_HASHED_MAX) return found;
    const id = blobIdOf(bytes.subarray(0, end));
    if (isTreeId(id) && ids.has(id)) found.add(id);
    if (end === 0) return found;
  }
  return found;
}

/** Start of the line that ends at `end`. */
function lineBefore(bytes: Buffer, end: number): number {
  return end < 2 ? 0 : bytes.lastIndexOf(0x0a, end - 2) + 1;
}
