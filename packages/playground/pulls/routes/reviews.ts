/** Routes of reviews (docs.github.com/rest/pulls/reviews and /comments): reviews and comments on changed lines. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  invalidAnswerWithMessages,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import {
  type ActorCall,
  actRoute,
  contentRoute,
  type RepoCall,
  type Route,
  readRoute,
  repoAccess,
  writeRoute,
} from '../../api/route.ts';
import { findActor } from '../../identity/identity.ts';
import { findSinceProblem } from '../../threads/routes/comments.ts';
import { bodyTooLong } from '../../threads/routes/issues.ts';
import type { Review, ReviewComment } from '../../threads/state-threads.ts';
import { canComment, canEdit, createAuthored, isTooLong, putIssue, withBody } from '../../threads/threads.ts';
import { listReviewComments, listReviewsOf, type PullIssue } from '../../world/lookup.ts';
import { findHunk } from '../diff-lines.ts';
import { rereadPull } from '../open-pull.ts';
import { readPullFiles } from '../pull-content.ts';
import { emitLineComment, emitReview, visibleTo } from '../review-changes.ts';
import { findLineProblem, findReviewProblem, isCommitOfPull } from '../review-problems.ts';
import { shapeReview, shapeReviewComment } from '../shape-pull.ts';
import { findPullOfCall } from './pulls.ts';

const read = repoAccess('pull_requests:read', 'public');
const write = repoAccess('pull_requests:write', 'anyone');
const dismiss = repoAccess('pull_requests:write', 'write');

const lineComment = z.object({
  path: z.string(),
  body: z.string().min(1),
  line: z.int().positive().optional(),
  side: z.enum(['LEFT', 'RIGHT']).default('RIGHT'),
  start_line: z.int().positive().optional(),
  subject_type: z.enum(['line', 'file']).optional(),
});
const creation = z.object({
  commit_id: z.string().optional(),
  body: z.string().nullish(),
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']).optional(),
  comments: z.array(lineComment).default([]),
});
const single = lineComment.extend({ commit_id: z.string(), in_reply_to: z.int().optional() });
const text = z.object({ body: z.string().min(1) });
const stateOf = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

export const reviewRoutes: readonly Route[] = [
  readRoute('/pulls/:number/reviews', read, (call) => {
    const issue = findPullOfCall(call);
    return issue === null
      ? notFoundAnswer()
      : answerPage(call, visibleTo(viewerId(call), listReviewsOf(call.world, issue)), (one) =>
          shapeReview(call.world, one),
        );
  }),
  readRoute('/pulls/:number/reviews/:review', read, (call) => {
    const review = findReview(call);
    return review === null ? notFoundAnswer() : okAnswer(shapeReview(call.world, review));
  }),
  contentRoute(writeRoute('POST', '/pulls/:number/reviews', write, creation, createReview)),
  contentRoute(
    writeRoute(
      'PUT',
      '/pulls/:number/reviews/:review/dismissals',
      dismiss,
      z.object({ message: z.string() }),
      dismissReview,
    ),
  ),
  readRoute('/pulls/comments', read, listForRepo),
  readRoute('/pulls/comments/:id', read, (call) => {
    const comment = findLineComment(call);
    return comment === null ? notFoundAnswer() : okAnswer(shapeReviewComment(call.world, comment));
  }),
  readRoute('/pulls/:number/comments', read, (call) => {
    const issue = findPullOfCall(call);
    if (issue === null) return notFoundAnswer();
    const rows = listReviewComments(call.world, issue).filter((one) => isVisible(call, one));
    return answerPage(call, rows, (one) => shapeReviewComment(call.world, one));
  }),
  contentRoute(writeRoute('POST', '/pulls/:number/comments', write, single, createLineComment)),
  contentRoute(writeRoute('PATCH', '/pulls/comments/:id', write, text, editLineComment)),
  contentRoute(actRoute('DELETE', '/pulls/comments/:id', write, deleteLineComment)),
];

/** `since` selects comments changed at or after a moment, including edits. */
async function listForRepo(call: RepoCall): Promise<Answer> {
  const { query } = call;
  const since = query.get('since');
  const problem = findSinceProblem(query);
  if (problem !== null) return problem;
  const sign = query.get('direction') === 'desc' ? -1 : 1;
  const at = (one: ReviewComment): number => (query.get('sort') === 'updated' ? one.updatedAtMs : one.createdAtMs);
  // Times in the API are whole seconds. Include comments of the same second, in spite of their milliseconds.
  const rows = Object.values(call.world.state.reviewComments).filter(
    (one) =>
      one.repoId === call.repo.id &&
      isVisible(call, one) &&
      (since === null || Math.floor(one.updatedAtMs / 1000) * 1000 >= Date.parse(since)),
  );
  const sorted = rows.toSorted((a, b) => sign * (at(a) - at(b) || a.id - b.id));
  return answerPage(call, sorted, (one) => shapeReviewComment(call.world, one));
}

function findReview(call: RepoCall): Review | null {
  const review = call.world.state.reviews[call.params['review'] ?? ''];
  const right = review?.repoId === call.repo.id && `${review.issueNumber}` === call.params['number'];
  return right ? (visibleTo(viewerId(call), [review])[0] ?? null) : null;
}

function viewerId(call: RepoCall): number | null {
  return findActor(call.world, call.caller)?.id ?? null;
}

function isVisible(call: RepoCall, { reviewId }: ReviewComment): boolean {
  const review = call.world.state.reviews[reviewId];
  return review === undefined || visibleTo(viewerId(call), [review]).length > 0;
}

function findLineComment(call: RepoCall): ReviewComment | null {
  const comment = call.world.state.reviewComments[call.params['id'] ?? ''];
  return comment?.repoId === call.repo.id && isVisible(call, comment) ? comment : null;
}

async function createReview(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const issue = findPullOfCall(call);
  if (issue === null) return notFoundAnswer();
  if (isTooLong(body.body)) return bodyTooLong('PullRequestReview');
  if (!canComment(call, issue))
    return failedAnswer(403, 'Unable to create a review because the pull request is locked.');
  const judging = body.event === 'APPROVE' || body.event === 'REQUEST_CHANGES';
  if (judging && issue.authorId === call.actor.id) {
    return invalidAnswerWithMessages([
      `Can not ${body.event === 'APPROVE' ? 'approve' : 'request changes on'} your own pull request`,
    ]);
  }
  if (body.event === 'APPROVE' && call.caller.kind === 'workflow' && !call.repo.actionsMayCreatePulls) {
    return invalidAnswerWithMessages(['GitHub Actions is not permitted to approve pull requests.']);
  }
  if (body.event !== 'APPROVE' && (body.body ?? '') === '' && body.comments.length === 0) {
    return invalidAnswerWithMessages(['Body can not be blank for a review that does not approve']);
  }
  const problem = await findReviewProblem(call, issue, body);
  if (problem !== null) return problem;
  const review: Review = {
    ...createAuthored(call, 'reviews', body.body ?? ''),
    repoId: call.repo.id,
    issueNumber: issue.number,
    state: body.event === undefined ? 'PENDING' : stateOf[body.event],
    commitSha: body.commit_id ?? issue.pull.headSha,
    submittedAtMs: body.event === undefined ? null : call.world.clock.now(),
  };
  call.world.state.reviews[review.id] = review;
  putIssue(call.world, {
    ...issue,
    updatedAtMs: call.world.clock.now(),
    pull: { ...issue.pull, reviewIds: [...issue.pull.reviewIds, review.id] },
  });
  if (body.event !== undefined) await emitReview(call, issue, review, 'submitted');
  for (const comment of body.comments) {
    await addLineComment(call, rereadPull(call, issue), comment, review.id, review.commitSha, null);
  }
  return okAnswer(shapeReview(call.world, review));
}

async function dismissReview(call: ActorCall): Promise<Answer> {
  const issue = findPullOfCall(call);
  const review = findReview(call);
  if (issue === null || review === null) return notFoundAnswer();
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
    return invalidAnswerWithMessages(['Can not dismiss a commented pull request review']);
  }
  const dismissed: Review = { ...review, state: 'DISMISSED', updatedAtMs: call.world.clock.now() };
  call.world.state.reviews[review.id] = dismissed;
  await emitReview(call, issue, dismissed, 'dismissed');
  return okAnswer(shapeReview(call.world, dismissed));
}

async function createLineComment(call: ActorCall, body: z.infer<typeof single>): Promise<Answer> {
  const issue = findPullOfCall(call);
  if (issue === null) return notFoundAnswer();
  if (isTooLong(body.body)) return bodyTooLong('PullRequestReviewComment');
  if (!canComment(call, issue)) return failedAnswer(403, 'Unable to create comment because issue is locked.');
  const replied = body.in_reply_to ?? null;
  const first = replied === null ? null : (call.world.state.reviewComments[replied] ?? null);
  if (replied !== null && first?.issueNumber !== issue.number)
    return unprocessableAnswer('in_reply_to is no comment of this pull request');
  if (!(await isCommitOfPull(call, issue, body.commit_id)))
    return unprocessableAnswer(`The commit_id ${body.commit_id} is not part of the pull request.`);
  const words = first === null ? await findLineProblem(call, issue, body) : null;
  if (words !== null) return invalidAnswerWithMessages([words], 'Validation Failed');
  const review: Review = {
    ...createAuthored(call, 'reviews', ''),
    repoId: call.repo.id,
    issueNumber: issue.number,
    state: 'COMMENTED',
    commitSha: body.commit_id,
    submittedAtMs: call.world.clock.now(),
  };
  call.world.state.reviews[review.id] = review;
  const row = rereadPull(call, issue);
  putIssue(call.world, { ...row, pull: { ...row.pull, reviewIds: [...row.pull.reviewIds, review.id] } });
  // A reply takes the position of the comment that it answers.
  const place = first === null ? body : { ...body, path: first.path, line: first.line ?? undefined, side: first.side };
  const comment = await addLineComment(call, rereadPull(call, issue), place, review.id, body.commit_id, replied);
  return createdAnswer(shapeReviewComment(call.world, comment));
}

async function addLineComment(
  call: ActorCall,
  issue: PullIssue,
  wanted: z.infer<typeof lineComment>,
  reviewId: number,
  commitSha: string,
  inReplyToId: number | null,
): Promise<ReviewComment> {
  const file = (await readPullFiles(call.world, issue)).find((one) => one.path === wanted.path);
  const comment: ReviewComment = {
    ...createAuthored(call, 'reviewComments', wanted.body),
    repoId: call.repo.id,
    issueNumber: issue.number,
    reviewId,
    path: wanted.path,
    line: wanted.subject_type === 'file' ? null : (wanted.line ?? null),
    ...(wanted.start_line === undefined ? {} : { startLine: wanted.start_line }),
    side: wanted.side,
    commitSha,
    diffHunk: findHunk(file?.patch ?? '', wanted.line ?? null, wanted.side),
    inReplyToId,
  };
  call.world.state.reviewComments[comment.id] = comment;
  const row = rereadPull(call, issue);
  const pull = { ...row.pull, reviewCommentIds: [...row.pull.reviewCommentIds, comment.id] };
  putIssue(call.world, { ...row, updatedAtMs: call.world.clock.now(), pull });
  await emitLineComment(call, issue, comment, 'created');
  return comment;
}

async function editLineComment(call: ActorCall, body: z.infer<typeof text>): Promise<Answer> {
  const comment = findLineComment(call);
  const issue = comment === null ? null : findPullOfCall({ ...call, params: { number: `${comment.issueNumber}` } });
  if (comment === null || issue === null) return notFoundAnswer();
  if (!canEdit(call, comment)) return failedAnswer(403, 'Must have admin rights to Repository.');
  if (isTooLong(body.body)) return bodyTooLong('PullRequestReviewComment');
  const edited = withBody(call, comment, body.body);
  call.world.state.reviewComments[comment.id] = edited;
  await emitLineComment(call, issue, edited, 'edited');
  return okAnswer(shapeReviewComment(call.world, edited));
}

async function deleteLineComment(call: ActorCall): Promise<Answer> {
  const comment = findLineComment(call);
  const issue = comment === null ? null : findPullOfCall({ ...call, params: { number: `${comment.issueNumber}` } });
  if (comment === null || issue === null) return notFoundAnswer();
  if (!canEdit(call, comment)) return failedAnswer(403, 'Must have admin rights to Repository.');
  delete call.world.state.reviewComments[comment.id];
  const reviewCommentIds = issue.pull.reviewCommentIds.filter((id) => id !== comment.id);
  putIssue(call.world, { ...issue, pull: { ...issue.pull, reviewCommentIds } });
  await emitLineComment(call, issue, comment, 'deleted');
  return noContentAnswer();
}
