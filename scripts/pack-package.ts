/**
 * `node scripts/pack-package.ts FOLDER`: packs the package that a release publishes, and prints its path. `npm pack` in this
 * checkout makes the same, but its package.json names our dependencies. The bundles contain every library, so the published
 * package names none: an installation brings no second copy, and no code that ferrybot does not run.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';

const ROOT = join(import.meta.dirname, '..');
/** `serve` needs 22.15, which has process.execve, and says so. */
const NODE = '>=22.13';
const OF_A_CHECKOUT = [
  'allowScripts',
  'dependencies',
  'devDependencies',
  'overrides',
  'private',
  'scripts',
  'workspaces',
];

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/pack-package.ts FOLDER');
  process.exitCode = 2;
} else {
  await execa(process.execPath, [join(ROOT, 'scripts/bundle.ts')], { cwd: ROOT, stdout: 'ignore' });
  const work = await mkdtemp(join(tmpdir(), 'ferrybot-pack-'));
  try {
    console.log(await packInto(resolve(folder), work));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function packInto(destination: string, work: string): Promise<string> {
  await execa('tar', ['-xzf', await pack(ROOT, work)], { cwd: work });
  const path = join(work, 'package/package.json');
  const manifest: Record<string, unknown> = { ...JSON.parse(await readFile(path, 'utf8')), engines: { node: NODE } };
  for (const key of OF_A_CHECKOUT) delete manifest[key];
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  return pack(join(work, 'package'), destination);
}

async function pack(from: string, destination: string): Promise<string> {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination];
  const { stdout } = await execa('npm', args, { cwd: from });
  return join(destination, stdout.trim());
}
