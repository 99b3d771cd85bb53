/** Counts the approvals that a protected branch accepts. */

import { may } from '../identity/permissions.ts';
import type { PullIssue } from '../world/lookup.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';

/** People who may write and whose newest judgement approves; with `dismissStale` it must be of the head as it is now. */
export function countApprovals(
  act: { readonly world: World; readonly repo: Repo },
  issue: PullIssue,
  dismissStale: boolean,
): number {
  const approvers = new Set<number>();
  for (const id of issue.pull.reviewIds) {
    const review = act.world.state.reviews[id];
    if (review?.state === 'CHANGES_REQUESTED' || review?.state === 'DISMISSED')
      approvers.delete(review.authorId);
    if (review?.state !== 'APPROVED') continue;
    if (dismissStale && review.commitSha !== issue.pull.headSha) approvers.delete(review.authorId);
    else approvers.add(review.authorId);
  }
  return [...approvers].filter((userId) =>
    may(act.world, { kind: 'user', userId }, act.repo, 'contents:write', 'write'),
  ).length;
}
