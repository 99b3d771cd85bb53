/** Free disk space. */

import { statfs } from 'node:fs/promises';

/** Of the file system that contains the folder; null if the system does not report it. */
export async function diskSpace(
  folder: string,
): Promise<{ readonly freeBytes: number; readonly totalBytes: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return null;
    throw error;
  }
}
