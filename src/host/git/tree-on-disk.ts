/** Computes git's object ids of a folder's files without git. */

import { createHash, type Hash } from 'node:crypto';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExportedFile, GitError } from '../../domain/git.ts';
import { brandAs, isTreeId, type TreeId } from '../../domain/values.ts';

/** Paths listed in an error; the others are counted. */
const FILES_SHOWN_MAX = 10;

/** Sorted by path, without following links. Throws `GitError` for anything that a git tree cannot contain. */
export async function listFilesOnDisk(folder: string): Promise<readonly ExportedFile[]> {
  const files: ExportedFile[] = [];
  const visit = async (parent: string): Promise<void> => {
    const entries = await readdir(join(folder, parent), { withFileTypes: true });
    for (const entry of entries) {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`;
      // The replacement character marks a name with invalid UTF-8, which could be ambiguous.
      if (path.includes('\uFFFD')) throw new GitError('unreadable', `${path} has a name that is not UTF-8`);
      if (entry.isDirectory()) await visit(path);
      else files.push(await readFileEntry(folder, path));
    }
  };
  await visit('');
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Differences between `folder` and `files`, one phrase per path. */
export async function listDifferencesOnDisk(
  folder: string,
  files: readonly ExportedFile[],
): Promise<readonly string[]> {
  const found = await listFilesOnDisk(folder);
  const there = new Map(found.map((file) => [file.path, file]));
  const expected = new Set(files.map(({ path }) => path));
  return [
    ...files.flatMap((file) => {
      const lies = there.get(file.path);
      if (lies === undefined) return [`${file.path} is missing`];
      return lies.mode === file.mode && lies.blob === file.blob ? [] : [`${file.path} differs`];
    }),
    ...found.flatMap(({ path }) => (expected.has(path) ? [] : [`${path} was not shipped`])),
  ];
}

/** The first phrases, and the number of others. */
export function joinFirst(phrases: readonly string[]): string {
  const shown = phrases.slice(0, FILES_SHOWN_MAX).join(', ');
  const more = phrases.length - FILES_SHOWN_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

async function readFileEntry(folder: string, path: string): Promise<ExportedFile> {
  const place = join(folder, path);
  const seen = await lstat(place);
  if (seen.isSymbolicLink()) {
    const target = await readlink(place, { encoding: 'buffer' });
    const blob = blobIdOf(target);
    return { path, mode: '120000', blob, bytes: target.length, target: target.toString('utf8') };
  }
  if (!seen.isFile()) throw new GitError('unreadable', `${path} is neither a file nor a folder nor a link`);
  const mode = (seen.mode & 0o111) === 0 ? '100644' : '100755';
  return { path, mode, blob: await hashFile(place, seen.size), bytes: seen.size, target: null };
}

/** Streams the file, which may be large. */
async function hashFile(place: string, size: number): Promise<string> {
  const hash = hashWithHead('blob', size);
  await using file = await open(place);
  for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

type Entry = { readonly mode: string; readonly id: string };
type Folder = Map<string, Entry | Folder>;

/**
 * Git's id of each of `paths` (`.`: the root); missing paths are omitted. Format: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects.
 */
export function computeTreeIds(
  files: readonly (Pick<ExportedFile, 'path' | 'blob'> & { readonly mode: string })[],
  submodules: Readonly<Record<string, string>>,
  paths: readonly string[],
): Readonly<Record<string, string>> {
  const root: Folder = new Map();
  for (const { path, mode, blob } of files) addEntry(root, path.split('/'), { mode, id: blob });
  for (const [path, id] of Object.entries(submodules)) addEntry(root, path.split('/'), { mode: '160000', id });
  return Object.fromEntries(
    paths.flatMap((path) => {
      const found = path === '.' ? root : findEntry(root, path.split('/'));
      return found === undefined ? [] : [[path, found instanceof Map ? computeTreeId(found) : found.id]];
    }),
  );
}

function addEntry(folder: Folder, [name = '', ...rest]: readonly string[], entry: Entry): void {
  if (rest.length === 0) {
    folder.set(name, entry);
    return;
  }
  const there = folder.get(name);
  const inner: Folder = there instanceof Map ? there : new Map();
  folder.set(name, inner);
  addEntry(inner, rest, entry);
}

function findEntry(folder: Folder, [name = '', ...rest]: readonly string[]): Entry | Folder | undefined {
  const found = folder.get(name);
  if (rest.length === 0) return found;
  return found instanceof Map ? findEntry(found, rest) : undefined;
}

function computeTreeId(folder: Folder): string {
  const rows = [...folder].map(([name, value]) =>
    value instanceof Map ? { name, mode: FOLDER_MODE, id: computeTreeId(value) } : { name, ...value },
  );
  return objectId('tree', formatTree(rows));
}

export type TreeRow = Entry & { readonly name: string };

export const FOLDER_MODE = '40000';

/** The bytes of a tree object with these rows. */
export function formatTree(entries: readonly TreeRow[]): Buffer {
  const rows = entries.map(({ name, mode, id }) => ({
    // Git sorts folders with a trailing slash.
    key: Buffer.from(mode === FOLDER_MODE ? `${name}/` : name),
    bytes: [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')],
  }));
  return Buffer.concat(rows.toSorted((a, b) => Buffer.compare(a.key, b.key)).flatMap(({ bytes }) => bytes));
}

export type GitType = 'blob' | 'tree' | 'commit' | 'tag';

/** Git's id of the bytes. */
export function blobIdOf(bytes: Uint8Array): string {
  return objectId('blob', bytes);
}

/** Git's blob id of a text. */
export function textBlobId(text: string): TreeId {
  return brandAs(blobIdOf(Buffer.from(text, 'utf8')), isTreeId);
}

/** Git's id of an object. */
export function objectId(type: GitType, bytes: Uint8Array): string {
  return hashWithHead(type, bytes.length).update(bytes).digest('hex');
}

/** The header before the bytes of an object. */
export function objectHead(type: GitType, size: number): Buffer {
  return Buffer.from(`${type} ${size}\0`);
}

/** SHA-1, the object format of these repositories. */
function hashWithHead(type: GitType, size: number): Hash {
  return createHash('sha1').update(objectHead(type, size));
}
