/** What a pull request changes, according to git: files since the merge base, and its commits. */

import type { CommitObject, FileChange } from '../git/store/git-store.ts';
import { github } from '../limits/limits.ts';
import { type PullIssue, repoById } from '../world/lookup.ts';
import type { World } from '../world/world.ts';

/** Files from the merge base to the head ("three dots"). A head that git no longer has changes no files. */
export async function readPullFiles(world: World, issue: PullIssue): Promise<readonly FileChange[]> {
  const store = world.gitOf(repoById(world, issue.repoId));
  const from = await store.mergeBase(issue.pull.baseSha, issue.pull.headSha);
  if (from === null) return [];
  const files = await store.diff(from, issue.pull.headSha);
  return files.slice(0, github.filesPerPull);
}

/** Commits of the pull request, oldest first. */
export async function readPullCommits(world: World, issue: PullIssue): Promise<readonly CommitObject[]> {
  const store = world.gitOf(repoById(world, issue.repoId));
  const commits = await store.log({ from: issue.pull.headSha, not: issue.pull.baseSha, limit: github.commitsPerPull });
  return commits.toReversed();
}
