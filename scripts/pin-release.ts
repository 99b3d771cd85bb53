/** `node scripts/pin-release.ts COMMIT`: the workflows that a lab calls name the action at this commit, which has to hold its bundle. */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, '.github/workflows');
const [commit = ''] = process.argv.slice(2);
process.exitCode = await pin();

async function pin(): Promise<number> {
  if (!/^[0-9a-f]{40}$/.test(commit)) return said('usage: node scripts/pin-release.ts <full commit>', 2);
  const bundle = await execa('git', ['-C', ROOT, 'cat-file', '-e', `${commit}:dist/index.js`], {
    reject: false,
  });
  if (bundle.failed) return said(`there is no dist/index.js at ${commit}`, 1);
  const manifest = (await execa('git', ['-C', ROOT, 'show', `${commit}:action.yml`])).stdout;
  const pinned = new Map<string, string>();
  for (const name of await readdir(FOLDER)) {
    const path = join(FOLDER, name);
    const text = await readFile(path, 'utf8');
    const mode = /^ {10}mode: ([\w-]+)$/m.exec(text)?.[1];
    if (mode === undefined) continue;
    if (!manifest.includes(mode)) return said(`${name}: the action at ${commit} has no mode ${mode}`, 1);
    pinned.set(path, text.replaceAll(/(uses: ferrybot\/ferrybot@)[0-9a-f]{40}/g, `$1${commit}`));
  }
  for (const [path, text] of pinned) await writeFile(path, text);
  return said(`the workflows name ${commit}`, 0);
}

function said(what: string, code: number): number {
  console.error(what);
  return code;
}
