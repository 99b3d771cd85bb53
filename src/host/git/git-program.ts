/** Git through the git program. */

import type { GitExporter, GitReader, GitWriter } from '../../domain/git.ts';
import { exportTree } from './export-tree.ts';
import { createMirror, type GitIdentity, type MirrorOptions } from './mirror.ts';
import { createReader } from './read.ts';
import { createWriter } from './write.ts';

/**
 * Git access to one repository through a bare mirror that all identities share. Commands that change refs are serialized, because git
 * rejects concurrent ones. Create it once per directory; nothing happens before the first call.
 */
export function createGitProgram(
  options: MirrorOptions,
): (identity: GitIdentity) => GitReader & GitWriter & GitExporter {
  const mirror = createMirror(options);
  const inTurn = createQueue();
  const reader = createReader(mirror);
  return (identity) => {
    const writer = createWriter(mirror, identity);
    return {
      ...reader,
      fetch: () => inTurn(reader.fetch),
      commitAndPush: (request) => inTurn(() => writer.commitAndPush(request)),
      exportTree: (commit, paths, directory) => inTurn(() => exportTree(mirror, commit, paths, directory)),
      pushTag: (request) => inTurn(() => writer.pushTag(request)),
      deleteTags: (names) => inTurn(() => writer.deleteTags(names)),
    };
  };
}

/** A failed task does not stop the next one. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task, task);
    last = next;
    return next;
  };
}
