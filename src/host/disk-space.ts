/** How much room the disk of this machine has. */

import { statfs } from 'node:fs/promises';

/** Of the file system that holds this folder; null where the system does not say. */
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
