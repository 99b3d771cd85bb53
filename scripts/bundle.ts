/** `npm run bundle` writes dist/: the action, the command line and the playground. It fails where one of them grew too large, or the command line does not start. */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionBundle } from './bundle/build-action.ts';
import { writeAction, writeCli, writePlayground } from './bundle/write-bundle.ts';

const ROOT = join(import.meta.dirname, '..');
/** What every comment in a repository loads, ours or not: the bench holds the cold start itself against a bare Node. */
const ENTRY_BYTES_MAX = 50_000;
/** What a runner fetches for each job; a command loads it once. */
const BYTES_MAX = 4_000_000;
/** What every verb of the command line loads. */
const CLI_BYTES_MAX = 80_000;
const SHARES_SHOWN = 8;

const bundle = await writeAction(ROOT);
await writeCli(ROOT);
await writePlayground(ROOT);
report(bundle);
const problems = [...sizeProblems(bundle), ...cliProblems()];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function report({ files: built, shares }: ActionBundle): void {
  for (const [name, code] of Object.entries(built))
    console.log(`dist/${name}: ${(code.length / 1_000_000).toFixed(3)} MB`);
  for (const [name, bytes] of shares.slice(0, SHARES_SHOWN)) console.log(`  ${(bytes / 1_000).toFixed(0)} KB ${name}`);
}

function sizeProblems({ files: built, missed }: ActionBundle): readonly string[] {
  const entry = built['index.js'].length;
  return [
    ...(entry > ENTRY_BYTES_MAX ? [`dist/index.js is larger than ${ENTRY_BYTES_MAX / 1_000} KB`] : []),
    ...(entry + built['program.js'].length > BYTES_MAX ? [`larger than ${BYTES_MAX / 1_000_000} MB`] : []),
    ...missed.map((what) => `not met, so not left out: ${what}`),
  ];
}

function cliProblems(): readonly string[] {
  const entry = join(ROOT, 'dist/cli.js');
  const { size } = statSync(entry);
  console.log(`dist/cli.js: ${(size / 1_000_000).toFixed(3)} MB`);
  const version = execFileSync(process.execPath, [entry, '--version'], { encoding: 'utf8' }).trim();
  return [
    ...(size > CLI_BYTES_MAX ? [`dist/cli.js is larger than ${CLI_BYTES_MAX / 1_000} KB`] : []),
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`dist/cli.js --version prints ${version}`]),
  ];
}
