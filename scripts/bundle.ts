/** `npm run bundle` writes dist/; `npm run bundle -- --check` fails where dist/ is not what the source gives. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bundle, buildBundle } from './bundle/build-bundle.ts';
import { differencesFrom } from './bundle/compare.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const ENTRY = 'src/app/action/main.ts';
/** A larger file starts slower on every comment: the bench holds the cold start itself against a bare Node. parse5 is 141 KB of it. */
const BYTES_MAX = 1_800_000;
const SHARES_SHOWN = 8;

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const bundle = await buildBundle(ROOT, ENTRY);
const files = { 'index.js': Buffer.from(bundle.code), 'licenses.txt': Buffer.from(bundle.licenses) };
report(bundle);
const problems = [
  ...sizeProblems(bundle),
  ...(values.check ? await differencesFrom(DIST, files) : await written()),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function report({ code, shares }: Bundle): void {
  console.log(`dist/index.js: ${(code.length / 1_000_000).toFixed(3)} MB`);
  for (const [name, bytes] of shares.slice(0, SHARES_SHOWN))
    console.log(`  ${(bytes / 1_000).toFixed(0)} KB ${name}`);
}

function sizeProblems({ code, missed }: Bundle): readonly string[] {
  return [
    ...(code.length > BYTES_MAX ? [`larger than ${BYTES_MAX / 1_000_000} MB`] : []),
    ...missed.map((what) => `not met, so not left out: ${what}`),
  ];
}

async function written(): Promise<readonly string[]> {
  await mkdir(DIST, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(DIST, name), bytes);
  return [];
}
