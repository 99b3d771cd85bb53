/** Reads the history of append-only files and the tags that mark it, by id where possible. */

import type { FileVersion, GitReader, TagText, VersionsQuery } from '../../domain/git.ts';
import { branded, isSha, isTreeId, type TreeId } from '../../domain/ids.ts';
import { type GitMirror, gitError } from './mirror.ts';
import { fetchBlobs } from './missing-blobs.ts';
import { blobIdOf } from './tree-on-disk.ts';

/** Larger tag messages are ignored. */
export const MARK_BYTES_MAX = 8 * 1024;
/** Keeps one read below `logbookFileBytesMax`. */
const TAGS_READ_AT_ONCE = 4_000;
/** Bound on hashing: 256 versions of 2,880 entries are 0.6 GB, half a second. */
const VERSION_BYTES_HASHED_MAX = 1024 * 1024 * 1024;
/** Keeps one read below `logbookFileBytesMax`. */
const BLOBS_READ_AT_ONCE = 256;

export type VersionReader = Pick<
  GitReader,
  'tagTexts' | 'versions' | 'readBlobs' | 'beginningsOf' | 'blobIdOf'
>;

/** Tag objects are immutable, so each is read once per process. */
export function createVersionReader(mirror: GitMirror): VersionReader {
  const messages = new Map<string, string>();
  return {
    tagTexts: (prefix) => tagTexts(mirror, prefix, messages),
    versions: (query) => versions(mirror, query),
    readBlobs: (ids) => readBlobs(mirror, ids),
    beginningsOf,
    blobIdOf: (text) => branded(blobIdOf(Buffer.from(text, 'utf8')), isTreeId),
  };
}

type ListedTag = Omit<TagText, 'message'> & { readonly object: string };

async function tagTexts(
  mirror: GitMirror,
  prefix: string,
  messages: Map<string, string>,
): Promise<readonly TagText[]> {
  const listed = await shortTags(mirror, prefix);
  const fresh = listed.map(({ object }) => object).filter((object) => !messages.has(object));
  for (let at = 0; at < fresh.length; at += TAGS_READ_AT_ONCE) {
    const some = fresh.slice(at, at + TAGS_READ_AT_ONCE);
    for (const [object, text] of await objectsOf(mirror, some, 'tag')) {
      const end = text.indexOf('\n\n');
      messages.set(object, end === -1 ? '' : text.slice(end + 2));
    }
  }
  return listed.flatMap(({ name, commit, parents, object }) => {
    const message = messages.get(object);
    return message === undefined ? [] : [{ name, commit, parents, message }];
  });
}

const TAG_FIELDS = ['refname', 'objectname', '*objectname', '*objecttype', '*parent', 'contents:size'];

async function shortTags(mirror: GitMirror, prefix: string): Promise<readonly ListedTag[]> {
  const format = TAG_FIELDS.map((field) => `%(${field})`).join('%00');
  const args = ['for-each-ref', `--format=${format}`, `refs/tags/${prefix}*`];
  const output = await mirror.output({ args }, 'unreadable');
  return output.split('\n').flatMap((line): readonly ListedTag[] => {
    const [ref = '', object = '', commit = '', type, parents = '', size = ''] = line.split('\0');
    if (type !== 'commit' || !isSha(commit) || Number(size) > MARK_BYTES_MAX) return [];
    return [
      { name: ref.slice('refs/tags/'.length), object, commit, parents: parents.split(' ').filter(isSha) },
    ];
  });
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

async function readBlobs(mirror: GitMirror, ids: readonly TreeId[]): Promise<ReadonlyMap<TreeId, string>> {
  await fetchBlobs(
    mirror,
    ids.filter((id) => !mirror.here.has(id)),
  );
  const found = new Map<TreeId, string>();
  for (let at = 0; at < ids.length; at += BLOBS_READ_AT_ONCE) {
    const some = ids.slice(at, at + BLOBS_READ_AT_ONCE);
    for (const [id, text] of await objectsOf(mirror, some, 'blob')) found.set(branded(id, isTreeId), text);
  }
  mirror.here.note(ids);
  return found;
}

/** Objects by id. If the output is too large or has invalid UTF-8, bisects the list. */
async function objectsOf(
  mirror: GitMirror,
  ids: readonly string[],
  type: 'tag' | 'blob',
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = new Map<string, string>();
  const output = await batchOf(mirror, ids);
  if (output !== null && readBatch(output, ids.length, type, found)) return found;
  if (ids.length === 1) return output === null ? new Map() : onlyObject(output, ids[0] ?? '', type);
  const half = Math.ceil(ids.length / 2);
  const first = await objectsOf(mirror, ids.slice(0, half), type);
  return new Map([...first, ...(await objectsOf(mirror, ids.slice(half), type))]);
}

function onlyObject(output: Buffer, id: string, type: 'tag' | 'blob'): ReadonlyMap<string, string> {
  const head = /^[0-9a-f]{40} (\w+) \d+\n/.exec(output.toString('utf8', 0, HEAD_BYTES));
  if (head?.[1] !== type) return new Map();
  return new Map([[id, output.toString('utf8', head[0].length, output.length - 1)]]);
}

/** An id, a type and a size. */
const HEAD_BYTES = 128;

/** Null if the output exceeds the limit, because anyone with push access can push huge objects. */
async function batchOf(mirror: GitMirror, ids: readonly string[]): Promise<Buffer | null> {
  const call = { args: ['cat-file', '--batch'], input: ids.map((id) => `${id}\n`).join('') };
  const result = await mirror.run(call);
  if (result.kind === 'output-limit') return null;
  if (!result.ok) throw gitError('unreadable', call, result);
  return Buffer.from(result.stdout, 'utf8');
}

/** False if the sizes do not match, because invalid UTF-8 was replaced by longer text. */
function readBatch(output: Buffer, count: number, type: string, found: Map<string, string>): boolean {
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const end = output.indexOf('\n', at);
    const head = /^([0-9a-f]{40}) (?:missing|(\w+) (\d+))$/.exec(output.toString('utf8', at, end));
    if (end === -1 || head === null) return false;
    at = end + 1;
    if (head[2] === undefined) continue;
    const size = Number(head[3]);
    if (output[at + size] !== 0x0a) return false;
    if (head[2] === type) found.set(head[1] ?? '', output.toString('utf8', at, at + size));
    at += size + 1;
  }
  return at === output.length;
}

/** The id hashes length and content, so each prefix is hashed separately, longest first. */
function beginningsOf(text: string, ids: ReadonlySet<TreeId>): ReadonlySet<TreeId> {
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
