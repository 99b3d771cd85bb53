/**
 * `node scripts/release-branch.ts TAG`: pushes the branch `release/TAG`, which is what labs pin, and moves the tag v0 to it. Above
 * the tagged commit of main it has two commits: one leaves only action.yml, the licence and dist/, the next adds the
 * workflows that a lab calls, which name the first. Runs in a checkout
 * of the tag with dist/ in place, and prints the commit to pin.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = '.github/workflows';
const [tag = ''] = process.argv.slice(2);

if (/^v\d+\.\d+\.\d+$/.test(tag)) release();
else {
  console.error('usage: node scripts/release-branch.ts vX.Y.Z');
  process.exitCode = 2;
}

function release(): void {
  git('checkout', '--quiet', '-b', `release/${tag}`);
  // A job that uses the action downloads the whole commit. package.json tells Node that dist has modules.
  git('rm', '-r', '--quiet', '--cached', '.');
  git(
    'add',
    '--force',
    'action.yml',
    'LICENSE',
    'package.json',
    'dist/index.js',
    'dist/program.js',
    'dist/licenses.txt',
  );
  commit(`release: add the bundle of ${tag}`);
  pinWorkflows(git('rev-parse', 'HEAD'));
  git('add', FOLDER);
  commit(`release: name the bundle of ${tag} in the workflows`);
  git('tag', '--force', 'v0');
  git('push', '--quiet', '--force', 'origin', `release/${tag}`, 'refs/tags/v0');
  console.log(git('rev-parse', 'HEAD'));
}

/** In main the workflows name a commit of zeros, because no commit of main has a bundle. */
function pinWorkflows(sha: string): void {
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll(/(uses: ferrybot\/ferrybot@)[0-9a-f]{40}/g, `$1${sha}`));
  }
}

/** In the name of the author of the tagged commit: a release credits nobody else. */
function commit(message: string): void {
  const author = ['name', 'email'].map(
    (what, index) => `user.${what}=${git('log', '-1', `--format=%a${'ne'[index]}`)}`,
  );
  git(...author.flatMap((setting) => ['-c', setting]), 'commit', '--quiet', '--message', message);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
