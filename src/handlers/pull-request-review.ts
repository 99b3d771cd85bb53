/** pull_request_review and pull_request_review_comment: commands may stand in both. */

import { z } from 'zod';
import { authorOf, handler, writtenSchema } from './event-envelope.ts';
import { mayHoldCommand } from './slash-word.ts';

const pull = z.object({ number: z.number().int() });

export const pullRequestReview = handler(
  'pull_request_review',
  z.object({ action: z.string(), pull_request: pull, review: writtenSchema }),
  ({ action, pull_request, review }) => {
    if (action !== 'submitted' || review.user?.type !== 'User')
      return { kind: 'thread', thread: pull_request.number };
    return {
      kind: 'comment',
      surface: 'review',
      comment: review.id,
      thread: pull_request.number,
      hasSlash: mayHoldCommand(review.body ?? ''),
      from: authorOf(review),
    };
  },
);

export const pullRequestReviewComment = handler(
  'pull_request_review_comment',
  z.object({ action: z.string(), pull_request: pull, comment: writtenSchema }),
  ({ action, pull_request, comment }) => {
    if (action !== 'created' || comment.user?.type !== 'User')
      return { kind: 'thread', thread: pull_request.number };
    return {
      kind: 'comment',
      surface: 'review-comment',
      comment: comment.id,
      thread: pull_request.number,
      hasSlash: mayHoldCommand(comment.body ?? ''),
      from: authorOf(comment),
    };
  },
);
