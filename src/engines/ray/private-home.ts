/** A home of its own for a program that holds the cluster's credentials: only its owner may look in, and it is gone afterwards. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Marin's scripts know no RAY_AUTH_TOKEN: they read the file that RAY_AUTH_TOKEN_PATH names, else this one, else they ask
 * gcloud (marin-community/marin, fray/v1/cluster/ray/auth.py).
 */
export const TOKEN_FILE = '.ray/auth_token';

export type PrivateHome = { readonly path: string; readonly close: () => Promise<void> };

/** Makes one below `directory` (mode 0700) with `files` in it: contents by path, mode 0600. */
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
