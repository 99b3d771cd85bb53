/**
 * `npm pack` runs this before and after it reads package.json. The package has every library in its bundles, so its
 * package.json names no dependencies: an installation brings no second copy, and no code that ferrybot does not run.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const MANIFEST = 'package.json';
const ORIGINAL = 'dist/package.original.json';
/** The first release with process.execve, by which a process takes its keys out of its environment. */
const NODE = '>=22.15';

const OF_A_CHECKOUT = [
  'allowScripts',
  'dependencies',
  'devDependencies',
  'overrides',
  'private',
  'scripts',
  'workspaces',
];

const [step] = process.argv.slice(2);
if (step === 'trim') trim();
else if (step === 'restore') renameSync(ORIGINAL, MANIFEST);
else {
  console.error('usage: node scripts/pack-manifest.ts trim|restore');
  process.exitCode = 2;
}

function trim(): void {
  // An earlier pack that was interrupted has left its own.
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
  const text = readFileSync(MANIFEST, 'utf8');
  const manifest: Record<string, unknown> = { ...JSON.parse(text), engines: { node: NODE } };
  for (const key of OF_A_CHECKOUT) delete manifest[key];
  writeFileSync(ORIGINAL, text);
  writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}
