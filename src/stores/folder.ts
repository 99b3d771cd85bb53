/** Checkpoints on a file system that this machine has: folders and files; a link is neither, and nothing is followed out of a root. */

import type { BigIntStats } from 'node:fs';
import { lstat, opendir, readFile, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { branded, isInstant } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import { known, type Observed, unknown } from '../domain/observed.ts';
import { codeOf } from '../host/publish-once.ts';
import type { Bucket, BucketFile, BucketPage, StoredObject } from './bucket.ts';

/** The whole file system as one bucket: keys are absolute paths without their first slash. */
export const folderBucket: Bucket = {
  page: ({ prefix, isDeep }) => orUnknown(() => page(prefix, isDeep)),
  read: (key, bytesMax) => orUnknown(() => read(`/${key}`, bytesMax)),
  remove: (key, identity) =>
    orUnknown(async () => {
      const path = `/${key}`;
      const now = await unlessMissing(identityOf(path));
      if (now !== null && now !== identity) return known('changed');
      await unlessMissing(unlink(path));
      return known('removed');
    }),
  tidy: (prefix) => tidy(`/${prefix}`),
};

/** What the system refuses is unknown and never *empty*; anything else that is thrown is a bug. */
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
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of await opendir(`/${folder}`)) {
      const key = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (isDeep) await walk(key);
        else folders.push(`${key}/`);
      } else {
        const found = await unlessMissing(lstat(`/${key}`, { bigint: true }));
        if (found !== null) objects.push({ key, bytes: Number(found.size), identity: identityIn(found) });
      }
      if (folders.length + objects.length > limits.checkpointObjectsMax) return;
    }
  };
  try {
    await walk(prefix);
  } catch (error) {
    // A root that nobody has made yet is an empty one, as it is in a bucket.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return known({ folders, objects, next: null });
}

async function read(path: string, bytesMax: number): Promise<Observed<BucketFile | null>> {
  try {
    const before = await identityOf(path);
    const { size, mtimeMs } = await lstat(path);
    if (size > bytesMax) return unknown(`${size} bytes`);
    const text = await readFile(path, 'utf8');
    if ((await identityOf(path)) !== before) return unknown('it was written while it was read');
    return known({ text, writtenAt: branded(Math.trunc(mtimeMs), isInstant), identity: before });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return known(null);
    throw error;
  }
}

async function identityOf(path: string): Promise<string> {
  return identityIn(await lstat(path, { bigint: true }));
}

function identityIn({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino}-${mtimeNs}-${size}`;
}

/** From the inside out, and only what is empty: a file that came meanwhile stays, and is told of. */
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
