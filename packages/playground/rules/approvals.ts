/** Counts the approvals that a protected branch accepts. */

import { isAllowed } from '../identity/permissions.ts';
import type { PullIssue } from '../world/lookup.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';

type RepoContext = { readonly world: World; readonly repo: Repo };

/** People with write access whose newest review approves; with `dismissStale` it must be for the current head. */
export function countApprovals(act: RepoContext, issue: PullIssue, dismissStale: boolean): number {
  const approvers = new Set<number>();
  for (const id of issue.pull.reviewIds) {
    const review = act.world.state.reviews[id];
    if (review?.state === 'CHANGES_REQUESTED' || review?.state === 'DISMISSED') approvers.delete(review.authorId);
    if (review?.state !== 'APPROVED') continue;
    if (dismissStale && review.commitSha !== issue.pull.headSha) approvers.delete(review.authorId);
    else approvers.add(review.authorId);
  }
  return [...approvers].filter((userId) => canWrite(act, userId)).length;
}

/**
 * The last pusher, if no other person has approved that push (docs.github.com: approval of the most recent reviewable
 * push); otherwise null.
 */
export function findUnapprovedPusher(act: RepoContext, issue: PullIssue): string | null {
  const { headRef, headRepoId, headSha, reviewIds } = issue.pull;
  const pusher = Object.values(act.world.state.activities).findLast(
    ({ repoId, ref, after }) => repoId === headRepoId && ref === `refs/heads/${headRef}` && after === headSha,
  )?.actorId;
  const isApproved = reviewIds.some((id) => {
    const review = act.world.state.reviews[id];
    return (
      review?.state === 'APPROVED' &&
      review.commitSha === headSha &&
      review.authorId !== pusher &&
      canWrite(act, review.authorId)
    );
  });
  return isApproved ? null : (act.world.state.users[pusher ?? 0]?.login ?? 'ghost');
}

function canWrite({ world, repo }: RepoContext, userId: number): boolean {
  return isAllowed(world, { kind: 'user', userId }, repo, 'contents:write', 'write');
}
