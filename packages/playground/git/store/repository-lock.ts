/** Allows one writer of refs at a time for each repository on disk, within this process. */

import { resolve as absolutePath } from 'node:path';

const tails = new Map<string, Promise<void>>();

/** Runs `work` after all earlier callers for the same folder; its result or exception is passed on. */
export async function withRepositoryLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const key = absolutePath(directory);
  const before = tails.get(key);
  const { promise: tail, resolve: release } = Promise.withResolvers<void>();
  tails.set(key, tail);
  await before;
  try {
    return await work();
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
    release();
  }
}
