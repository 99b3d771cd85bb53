/** The bot's git through the git program: a bare mirror that reads, and writes by compare-and-set. */

import type { GitExporter, GitReader, GitWriter } from '../../domain/git.ts';
import type { GitIdentity } from './environment.ts';
import { exportTree } from './export-tree.ts';
import { createMirror, type MirrorOptions } from './mirror.ts';
import { createReader } from './read.ts';
import { createWriter } from './write.ts';

/**
 * One repository, for whoever commits: each identity gets a reader and writer, and all of them share one mirror.
 * Commands that change the mirror's refs run one after another, since git refuses two at once; each is bounded
 * in time. Nothing is done before the first call. Make it once a directory.
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
    };
  };
}

/** Runs tasks one after another; a failed one does not stop the next. */
function createQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task, task);
    last = next;
    return next;
  };
}
