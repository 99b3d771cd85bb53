/** Exports the default branch for the lab's launcher scripts, never the change that they launch (architecture, D5). */

import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitExporter, type GitReader } from '../domain/git.ts';

/** Exports `paths` of `branch` (all if empty) into a new private folder below `directory`. An existing folder is never reused. */
export async function launcherCheckout(
  git: Pick<GitReader, 'resolve'> & GitExporter,
  branch: string,
  paths: readonly string[],
  directory: string,
): Promise<string> {
  const commit = await git.resolve(`refs/heads/${branch}`);
  if (commit === null) throw new GitError('unreadable', `there is no branch ${branch}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const target = await mkdtemp(join(await realpath(directory), 'launcher-'));
  await git.exportTree(commit, paths.length === 0 ? ['.'] : paths, target);
  return target;
}
