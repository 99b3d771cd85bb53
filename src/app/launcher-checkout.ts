/** The default branch's files in a folder, for the launcher scripts of a lab: never those of the change that they launch (architecture, D5). */

import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitExporter, type GitReader } from '../domain/git.ts';

/**
 * Exports `paths` of the newest commit of `branch` (all, if there are none) into a new private folder below `directory`.
 * It is made for the process that asks and for no other: what lay there before is never taken for it.
 */
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
