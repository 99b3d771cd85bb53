/** Writes files of a commit into a plain folder: the approved tree is shipped, never checked out where git would run it. */

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha } from '../../domain/ids.ts';
import type { GitMirror } from './mirror.ts';

/**
 * `git checkout <commit> -- <paths>` with a private index and work tree. Hooks and filters of the repository do not
 * run: the mirror has no hooks, and attributes are read from nowhere.
 */
export async function exportTree(
  mirror: GitMirror,
  commit: Sha,
  paths: readonly string[],
  directory: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const index = join(mirror.options.directory, `export-${process.pid}-${commit}.index`);
  try {
    const env = { GIT_INDEX_FILE: index };
    const args = [
      '--work-tree',
      directory,
      '-c',
      'core.bare=false',
      '-c',
      'core.hooksPath=',
      '-c',
      'core.attributesFile=',
      'checkout',
      '--quiet',
      commit,
      '--',
      ...paths,
    ];
    await mirror.output({ args, env }, 'unreadable');
  } finally {
    await rm(index, { force: true });
  }
}
