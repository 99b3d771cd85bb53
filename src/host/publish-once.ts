/** Files that are written once, atomically. */

import { randomUUID } from 'node:crypto';
import { link, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readPlainText } from './plain-file.ts';

/**
 * Writes `text` to `path` unless the file exists; true if this call created it. A hard link is atomic: it never replaces a file (unlike
 * rename) and never shows a partial one (unlike O_EXCL).
 */
export async function publishOnce(path: string, text: string): Promise<boolean> {
  const draft = join(dirname(path), `.${randomUUID()}.tmp`);
  await writeFile(draft, text, { flush: true, mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** The text of a regular file, or null if it does not exist. */
export async function readTextIfThere(path: string): Promise<string | null> {
  try {
    return await readPlainText(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The system's error code (`ENOENT`, `EEXIST`, …) of a thrown value. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
