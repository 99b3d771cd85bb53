/** Whether a folder is there. */

import { stat } from 'node:fs/promises';
import { codeOf } from './publish-once.ts';

/** False where nothing is, or something else; what may not be looked at throws. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
