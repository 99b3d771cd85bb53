/** Packs the files of a shipped tree into a zip. The same content gives the same bytes on every machine. */

import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import type { JobSpec, LeftOut } from '../../domain/engine.ts';
import type { ExportedFile } from '../../domain/git.ts';
import { errorCode } from '../../host/files.ts';
import { blobIdOf, joinFirst } from '../../host/git/tree-on-disk.ts';
import { type Rejected, reject } from './kit.ts';

/** Size before zipping. The zip is made in memory, and code has a tenth of this size. */
const PACKAGE_TREE_BYTES_MAX = 256 * 1024 * 1024;
/** A lab ships hundreds of files. More is a data set or an environment by mistake. */
const PACKAGE_FILES_MAX = 20_000;

export type PackageBytes = { readonly kind: 'zip'; readonly bytes: Uint8Array; readonly files: number } | Rejected;

type Member = { readonly name: string; readonly path: string; readonly bytes: number; readonly mode: number };

/** The earliest time in a zip (APPNOTE 4.4.6 counts from 1980). It is in local time, because the format has no time zone. */
const MODIFIED = new Date(1980, 0, 1);
/** `version made by` Unix: only then do the upper attribute bits contain a mode (APPNOTE 4.4.2). */
const UNIX = 3;

export type PackageTarget = { readonly name: string; readonly zipBytesMax: number };

/**
 * Zips a folder in memory. Names are sorted, times are fixed, and only the *executable* bit of the mode is kept, so that one
 * tree has one name. No recipient unpacks symbolic links: the target of a link inside the tree is shipped in its place, and
 * a link that leads out is refused.
 */
export async function zipTree(
  folder: string,
  files: readonly ExportedFile[] | null,
  taker: PackageTarget,
): Promise<PackageBytes> {
  let members: readonly Member[];
  try {
    members = await listMembers(await realpath(folder), taker);
  } catch (error) {
    if (error instanceof OutsideError) return reject('refused', error.message);
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    return reject('no-working-directory', `${folder} is no folder`);
  }
  const total = members.reduce((sum, member) => sum + member.bytes, 0);
  const tooMuch = findSizeRefusal(members.length, total);
  if (tooMuch !== null) return reject('refused', tooMuch);
  const content: Zippable = {};
  const packed: PackedFile[] = [];
  for (const { name, path, mode } of members) {
    const bytes = await readFile(path);
    content[name] = [bytes, { mtime: MODIFIED, os: UNIX, attrs: ((0o100000 | mode) << 16) >>> 0 }];
    packed.push({ name, mode, blob: blobIdOf(bytes) });
  }
  const wrong = files === null ? [] : listDifferences(packed, files);
  if (wrong.length > 0) return reject('refused', `what would be sent is not what was approved: ${joinFirst(wrong)}`);
  const bytes = zipSync(content, { level: 6 });
  if (bytes.length > taker.zipBytesMax)
    return reject(
      'refused',
      `the shipped files are ${bytes.length} bytes as a zip; ${taker.name} takes ${taker.zipBytesMax}`,
    );
  return { kind: 'zip', bytes, files: members.length };
}

type PackedFile = { readonly name: string; readonly mode: number; readonly blob: string };

/** Compares the exact bytes of the package with the approved list. */
function listDifferences(packed: readonly PackedFile[], files: readonly ExportedFile[]): readonly string[] {
  const approved = new Map(files.map((file) => [file.path, file]));
  const names = new Set(packed.map(({ name }) => name));
  return [
    ...files.flatMap(({ path }) => (names.has(path) ? [] : [`${path} is missing`])),
    ...packed.flatMap(({ name, mode, blob }) => {
      const file = approved.get(name);
      if (file === undefined) return [`${name} was not shipped`];
      // The target of a link is a file in the list and is compared there.
      if (file.target !== null) return [];
      const isSame = file.blob === blob && (file.mode === '100755') === (mode === 0o755);
      return isSame ? [] : [`${name} differs`];
    }),
  ];
}

/** A package contains every file, and the target of each link. A link to a folder is left out. */
export async function listFilesLeftOut(
  { workingDirectory, files = [] }: Pick<JobSpec, 'workingDirectory' | 'files'>,
  { name: taker }: Pick<PackageTarget, 'name'>,
): Promise<readonly LeftOut[]> {
  const leftOut: LeftOut[] = [];
  for (const { path, target } of files) {
    if (target === null || (await stat(join(workingDirectory, path))).isFile()) continue;
    leftOut.push({ path, why: `a link to a folder, which ${taker} does not unpack` });
  }
  return leftOut;
}

function findSizeRefusal(files: number, bytes: number): string | null {
  if (files > PACKAGE_FILES_MAX) return `${files} files are to be shipped; ${PACKAGE_FILES_MAX} is the limit`;
  if (bytes > PACKAGE_TREE_BYTES_MAX)
    return `the shipped files have ${bytes} bytes; ${PACKAGE_TREE_BYTES_MAX} is the limit`;
  return null;
}

class OutsideError extends Error {}

async function listMembers(root: string, { name: taker }: PackageTarget): Promise<readonly Member[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const members: Member[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path).split(sep).join('/');
    const target = entry.isSymbolicLink() ? await resolveLinkTarget(root, path, name) : path;
    const seen = await stat(target);
    if (entry.isSymbolicLink() && seen.isDirectory())
      throw new OutsideError(`${name} is a link to a folder, which ${taker} does not unpack`);
    const mode = (seen.mode & 0o111) === 0 ? 0o644 : 0o755;
    if (seen.isFile()) members.push({ name, path: target, bytes: seen.size, mode });
  }
  return members.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function resolveLinkTarget(root: string, path: string, name: string): Promise<string> {
  const target = await realpath(path);
  if (!target.startsWith(root + sep)) throw new OutsideError(`${name} is a link that leads out of the shipped files`);
  return target;
}
