/** Writes dist/ of a checkout: the action's two files, their licences, and the command line of the package. */

import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ActionBundle, buildAction } from './build-action.ts';
import { buildCli } from './build-cli.ts';
import { buildPlayground } from './build-playground.ts';

/**
 * Builds and writes dist/index.js and dist/program.js. Each file is replaced in one step, because a runner of another
 * process may read it at the same time.
 */
export async function writeAction(root: string): Promise<ActionBundle> {
  const bundle = await buildAction(root);
  await writeFiles(root, { ...bundle.files, 'licenses.txt': Buffer.from(bundle.licenses) });
  return bundle;
}

/** Builds and writes dist/cli.js and what it imports from dist/cli/; files of an older build are removed. */
export async function writeCli(root: string, to = root): Promise<void> {
  const { files, licenses } = await buildCli(root);
  await rm(join(to, 'dist/cli'), { recursive: true, force: true });
  await writeFiles(to, { ...files, 'cli/licenses.txt': Buffer.from(licenses) });
}

/** Builds and writes dist/playground/; files of an older build are removed. */
export async function writePlayground(root: string): Promise<void> {
  const { files, licenses } = await buildPlayground(root);
  await rm(join(root, 'dist/playground'), { recursive: true, force: true });
  const named = Object.entries(files).map(([name, code]) => [`playground/${name}`, code]);
  await writeFiles(root, { ...Object.fromEntries(named), 'playground/licenses.txt': Buffer.from(licenses) });
}

async function writeFiles(root: string, files: Readonly<Record<string, Uint8Array>>): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(root, 'dist', name);
    const part = `${path}.${process.pid}`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(part, bytes);
    await rename(part, path);
  }
}
