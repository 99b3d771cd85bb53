/** The default branch's files in a folder, for the launcher scripts of a lab: never those of the change that they launch (architecture, decision D5). */

import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitExporter, type GitReader } from '../domain/git.ts';
import { sha256Hex } from '../host/hash.ts';
import { codeOf } from '../host/publish-once.ts';

/** Exports `paths` of the newest commit of `branch` (all, if there are none) below `directory`; a folder that stands is whole. */
export async function launcherCheckout(
  git: Pick<GitReader, 'resolve'> & GitExporter,
  branch: string,
  paths: readonly string[],
  directory: string,
): Promise<string> {
  const commit = await git.resolve(`refs/heads/${branch}`);
  if (commit === null) throw new GitError('unreadable', `there is no branch ${branch}`);
  // Two clusters may ask for other files of one commit.
  const target = join(directory, `${commit}-${sha256Hex(paths.join('\n')).slice(0, 12)}`);
  if (await isThere(target)) return target;
  const beside = `${target}.${process.pid}.part`;
  await rm(beside, { recursive: true, force: true });
  await mkdir(beside, { recursive: true, mode: 0o700 });
  await git.exportTree(commit, paths.length === 0 ? ['.'] : paths, beside);
  await rename(beside, target);
  return target;
}

async function isThere(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
