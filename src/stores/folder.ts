/** Checkpoints on a local file system. Symbolic links are never followed. */

import type { BigIntStats } from 'node:fs';
import { lstat, opendir, realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '../domain/limits.ts';
import { withoutEndSlashes } from '../domain/text.ts';
import { known, momentOfMs, type Observed, unknown } from '../domain/values.ts';
import { codeOf, openPlainFile } from '../host/files.ts';
import type { Bucket, BucketFile, BucketPage, StoredObject } from './ask.ts';

/** The file system as one bucket: keys are absolute paths without the first slash. */
export const folderBucket: Bucket = {
  page: ({ prefix, isDeep }) => orUnknown(() => page(prefix, isDeep)),
  read: (key, bytesMax) => orUnknown(() => read(`/${key}`, bytesMax)),
  remove: (key, identity) =>
    orUnknown(async () => {
      const path = `/${key}`;
      const now = await unlessMissing(fileIdentity(path));
      if (now !== null && now !== identity) return known('changed');
      await unlessMissing(unlink(path));
      return known('removed');
    }),
  tidy: (prefix) => tidy(`/${prefix}`),
};

/** System errors are unknown, never *empty*. */
async function orUnknown<Value>(work: () => Promise<Observed<Value>>): Promise<Observed<Value>> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    return unknown(code);
  }
}

async function page(prefix: string, isDeep: boolean): Promise<Observed<BucketPage>> {
  const folders: string[] = [];
  const objects: StoredObject[] = [];
  let passed = 0;
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of await opendir(`/${folder}`)) {
      const key = join(folder, entry.name);
      if (entry.isDirectory()) {
        passed += 1;
        if (!isDeep) folders.push(`${key}/`);
        else if (passed <= limits.checkpointObjectsMax) await walk(key);
      } else {
        const found = await unlessMissing(lstat(`/${key}`, { bigint: true }));
        if (found !== null) objects.push({ key, bytes: Number(found.size), identity: identityIn(found) });
      }
      if (passed + objects.length > limits.checkpointObjectsMax) return;
    }
  };
  try {
    // A job may replace its root or a parent folder by a link.
    const root = `/${withoutEndSlashes(prefix)}`;
    if ((await realpath(root)) !== root) return unknown('it is a link, or lies behind one');
    await walk(prefix);
    if (isDeep && passed > limits.checkpointObjectsMax) return unknown('more folders than are looked into');
  } catch (error) {
    // A root that does not exist yet is empty, as in a bucket.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return known({ folders, objects, next: null });
}

/** A job may put anything here, so links are not followed, pipes not awaited, and the size is bounded. */
async function read(path: string, bytesMax: number): Promise<Observed<BucketFile | null>> {
  try {
    await using file = await openPlainFile(path);
    const found = await file.stat({ bigint: true });
    if (found.size > bytesMax) return unknown(`${found.size} bytes`);
    const pieces: Buffer[] = [];
    for await (const piece of file.createReadStream({ end: bytesMax, autoClose: false })) pieces.push(piece);
    const [before, now] = [identityIn(found), await fileIdentity(path)];
    if (now !== before) return unknown('it was written while it was read');
    const writtenAt = momentOfMs(Number(found.mtimeNs / 1_000_000n));
    if (writtenAt === null) return unknown('its time is no time');
    return known({ text: Buffer.concat(pieces).toString('utf8'), writtenAt, identity: before });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return known(null);
    throw error;
  }
}

async function fileIdentity(path: string): Promise<string> {
  return identityIn(await lstat(path, { bigint: true }));
}

function identityIn({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}

/** Removes only empty folders, deepest first; new files stay and are reported. */
async function tidy(folder: string): Promise<void> {
  try {
    for await (const entry of await opendir(folder))
      if (entry.isDirectory()) await tidy(join(folder, entry.name));
    await rmdir(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

async function unlessMissing<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return null;
  }
}
