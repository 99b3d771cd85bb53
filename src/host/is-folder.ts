/** Checks for a folder. */

import { stat } from 'node:fs/promises';
import { codeOf } from './publish-once.ts';

/** False if missing or not a folder; throws if access is denied. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
