/** Reads what a run starts from out of git: the file of the pass, and what the target branch made of it since. */

import type { ReadFile } from '../../domain/experiment.ts';
import { GitError, type GitReader } from '../../domain/git.ts';
import type { CarriedOver } from '../../domain/launch/base.ts';
import type { StartPlace } from '../../run/kind.ts';
import { carryOver } from './carry-over.ts';

/** Commits of the target branch that changed the experiment file since the last pass, and are looked at for who set what. */
const BASE_COMMITS_READ = 50;

/** The same answer whenever and wherever it is asked, since it follows from commits alone. Throws `GitError` where git cannot tell. */
export async function readStart(
  git: GitReader,
  read: ReadFile,
  { path, pass, onto }: StartPlace,
): Promise<CarriedOver> {
  const left = await git.mergeBase(onto, pass);
  if (left === null) throw unclear(`${pass} has no history in common with ${onto}`);
  const [ranText, leftText, targetText] = [
    await git.readText(pass, path),
    await git.readText(left, path),
    await git.readText(onto, path),
  ];
  if (ranText === null || leftText === null || targetText === null)
    throw unclear(`${path} is not at ${ranText === null ? pass : leftText === null ? left : onto}`);
  const commits = await git.log({
    from: onto,
    not: left,
    sinceMs: null,
    paths: [path],
    limit: BASE_COMMITS_READ + 1,
  });
  const since: string[] = [];
  for (const { sha } of commits.slice(0, BASE_COMMITS_READ)) {
    const text = await git.readText(sha, path);
    if (text !== null) since.push(text);
  }
  const isWhole = commits.length <= BASE_COMMITS_READ;
  const file = { ran: ranText, left: leftText, target: targetText, since: isWhole ? since : null };
  const carried = await carryOver(file, read);
  if (carried === null) throw unclear(`${path} at ${pass} differs from ${left} in more than knobs`);
  return carried;
}

function unclear(why: string): GitError {
  return new GitError('unreadable', `what the last pass ran cannot be taken over: ${why}`);
}
