/** Files that appear whole and only once: the first writer wins, and a reader never sees a part. */

import { randomUUID } from 'node:crypto';
import { link, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readPlainText } from './plain-file.ts';

/**
 * Writes `text` to `path` unless a file is there already; true when this call made it. A hard link is
 * the atomic step: unlike a rename it never replaces, unlike O_EXCL it never shows half a file.
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

/** The text of an ordinary file, or null when there is none. */
export async function readTextIfThere(path: string): Promise<string | null> {
  try {
    return await readPlainText(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The system's error code (`ENOENT`, `EEXIST`, …) of something that was thrown, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
