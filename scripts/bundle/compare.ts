/** What stands in dist/ against what the source gives. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One line for every file of `folder` that is missing or has other bytes; none when all is in step. */
export async function differencesFrom(
  folder: string,
  files: Readonly<Record<string, Buffer>>,
): Promise<readonly string[]> {
  const lines = Object.entries(files).map(async ([name, bytes]) => {
    const there = await readIfThere(join(folder, name));
    if (there?.equals(bytes)) return [];
    const what =
      there === null
        ? 'is missing'
        : `has ${there.length} bytes, the source gives ${bytes.length}, and they differ`;
    return [`dist/${name} ${what}: run \`npm run bundle\` and commit it`];
  });
  return (await Promise.all(lines)).flat();
}

async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
