/** A private home for a program with the cluster's credentials. Only its owner can read it, and it is deleted afterwards. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Marin's scripts do not use RAY_AUTH_TOKEN. They read the file in RAY_AUTH_TOKEN_PATH, otherwise this file, and otherwise
 * ask gcloud (marin-community/marin, fray/v1/cluster/ray/auth.py).
 */
export const TOKEN_FILE = '.ray/auth_token';

export type PrivateHome = { readonly path: string; readonly close: () => Promise<void> };

/** Creates a home below `directory` (mode 0700) that contains `files`: contents by path, mode 0600. */
export async function openPrivateHome(
  directory: string,
  files: Readonly<Record<string, string>>,
): Promise<PrivateHome> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(directory, 'home-'));
  for (const [name, content] of Object.entries(files)) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
  }
  return { path, close: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
