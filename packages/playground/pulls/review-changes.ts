/** Webhooks of reviews and their comments, and automatic dismissal of stale reviews. */

import { filterRulesets } from '../rules/rulesets.ts';
import type { Review, ReviewComment } from '../threads/state-threads.ts';
import type { Act } from '../threads/threads.ts';
import { emitChange } from '../world/emit.ts';
import { listReviewsOf, type PullIssue } from '../world/lookup.ts';
import { shapePull, shapeReview, shapeReviewComment } from './shape-pull.ts';

/** The reviews visible to this account. A pending review is visible only to its author until it is submitted. */
export function visibleTo(userId: number | null, reviews: readonly Review[]): readonly Review[] {
  return reviews.filter(({ state, authorId }) => state !== 'PENDING' || authorId === userId);
}

/**
 * Dismisses the approvals of a pull request whose head moved, if its base branch requires that (docs.github.com: about
 * protected branches, "dismiss stale pull request approvals when new commits are pushed").
 */
export async function dismissStale(act: Act, issue: PullIssue): Promise<void> {
  if (!dismissesStale(act, issue.pull.baseRef)) return;
  for (const review of listReviewsOf(act.world, issue)) {
    if (review.state !== 'APPROVED') continue;
    const dismissed: Review = { ...review, state: 'DISMISSED', updatedAtMs: act.world.clock.now() };
    act.world.state.reviews[review.id] = dismissed;
    await emitReview(act, issue, dismissed, 'dismissed');
  }
}

function dismissesStale({ world, repo }: Act, branch: string): boolean {
  const row = world.state.repos[repo.id] ?? repo;
  if (row.protections.some((one) => one.branch === branch && one.dismissStale === true)) return true;
  return filterRulesets(world, row, `refs/heads/${branch}`).some(({ rules }) =>
    rules.some((rule) => rule.type === 'pull_request' && rule.dismissStale),
  );
}

export async function emitReview(act: Act, issue: PullIssue, review: Review, action: string): Promise<void> {
  const shape = { ...shapeReview(act.world, review), state: review.state.toLowerCase() };
  await emitChange(act.world, {
    type: 'pull_request_review',
    action,
    repo: act.repo,
    sender: act.actor,
    byTokenKind: act.caller.kind,
    payload: { review: shape, pull_request: shapePull(act.world, issue) },
  });
}

/** Sends no event for a comment in a review that is not submitted. */
export async function emitLineComment(act: Act, issue: PullIssue, row: ReviewComment, action: string): Promise<void> {
  if (act.world.state.reviews[row.reviewId]?.state === 'PENDING') return;
  await emitChange(act.world, {
    type: 'pull_request_review_comment',
    action,
    repo: act.repo,
    sender: act.actor,
    byTokenKind: act.caller.kind,
    payload: { comment: shapeReviewComment(act.world, row), pull_request: shapePull(act.world, issue) },
  });
}
