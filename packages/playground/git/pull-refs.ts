/**
 * `refs/pull/N/head` and `refs/pull/N/merge`: the refs of a pull request that anyone can fetch and its workflows run
 * on.
 */

import { type Act, putIssue } from '../threads/threads.ts';
import type { PullIssue } from '../world/lookup.ts';
import { writeMerge } from './git-merge.ts';
import { webFlowSignature } from './shape-commit.ts';

/**
 * Updates both refs to the current head and base, and stores the test merge in the pull request. Null there means a
 * conflict; then the merge ref stays at the last successful merge (docs: pull request refs and merge branches).
 */
export async function updatePullRefs(act: Act, issue: PullIssue): Promise<PullIssue> {
  const store = act.world.gitOf(act.repo);
  const { headSha, baseSha } = issue.pull;
  await store.updateRef({ ref: `refs/pull/${issue.number}/head`, sha: headSha, force: true });
  const ours = webFlowSignature(act.world.clock.now());
  const merge = await writeMerge(store, {
    method: 'merge',
    base: baseSha,
    head: headSha,
    message: `Merge ${headSha} into ${baseSha}`,
    author: ours,
    committer: ours,
  });
  if (merge !== null) await store.updateRef({ ref: `refs/pull/${issue.number}/merge`, sha: merge, force: true });
  const pull = { ...issue.pull, testMergeSha: merge };
  const renewed = { ...issue, pull };
  putIssue(act.world, renewed);
  return renewed;
}

/** Whether only GitHub may move the ref, neither the API nor git. */
export function isPullRef(ref: string): boolean {
  return ref.startsWith('refs/pull/');
}
