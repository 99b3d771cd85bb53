/** Routes of issue comments (docs.github.com/rest/issues/comments), including a pull request's conversation. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  invalidAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
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
import { findIssue, listComments } from '../../world/lookup.ts';
import { shapeComment } from '../shape-issue.ts';
import type { Comment } from '../state-threads.ts';
import { refuseComment, refuseThreadAccess } from '../thread-access.ts';
import { addComment, canEdit, deleteComment, editComment, isTooLong } from '../threads.ts';
import { bodyTooLong, findIssueOfCall } from './issues.ts';

const read = repoAccess(['issues:read', 'pull_requests:read'], 'public');
const talk = repoAccess(['issues:write', 'pull_requests:write'], 'anyone');
const text = z.object({ body: z.string() });

export const commentRoutes: readonly Route[] = [
  readRoute('/issues/comments', read, listForRepo),
  readRoute('/issues/comments/:id', read, (call) => {
    const comment = findComment(call);
    const issue = comment === null ? null : findIssue(call.world, call.repo, comment.issueNumber);
    if (comment === null || issue === null) return notFoundAnswer();
    return refuseThreadAccess(call, issue, 'read') ?? okAnswer(shapeComment(call.world, comment));
  }),
  readRoute('/issues/:number/comments', read, (call) => {
    const issue = findIssueOfCall(call);
    if (issue === null) return notFoundAnswer();
    const refusal = refuseThreadAccess(call, issue, 'read') ?? findSinceProblem(call.query);
    if (refusal !== null) return refusal;
    const rows = filterChangedSince(listComments(call.world, issue), call.query);
    return answerPage(call, rows, (one) => shapeComment(call.world, one));
  }),
  contentRoute(writeRoute('POST', '/issues/:number/comments', talk, text, createComment)),
  contentRoute(writeRoute('PATCH', '/issues/comments/:id', talk, text, editCommentOfCall)),
  contentRoute(actRoute('DELETE', '/issues/comments/:id', talk, deleteCommentOfCall)),
];

export function findComment(call: RepoCall): Comment | null {
  const comment = call.world.state.comments[call.params['id'] ?? ''];
  return comment === undefined || comment.repoId !== call.repo.id ? null : comment;
}

/** `since` selects comments changed at or after a moment, including edits. */
async function listForRepo(call: RepoCall): Promise<Answer> {
  const problem = findSinceProblem(call.query);
  if (problem !== null) return problem;
  const rows = Object.values(call.world.state.comments).filter((one) => one.repoId === call.repo.id);
  const sign = call.query.get('direction') === 'desc' ? -1 : 1;
  const at = (one: Comment): number => (call.query.get('sort') === 'updated' ? one.updatedAtMs : one.createdAtMs);
  const sorted = filterChangedSince(rows, call.query).toSorted((a, b) => sign * (at(a) - at(b) || a.id - b.id));
  return answerPage(call, sorted, (one) => shapeComment(call.world, one));
}

/** An invalid moment is an error: an empty list would look as if nothing had changed. */
export function findSinceProblem(query: URLSearchParams): Answer | null {
  const since = query.get('since');
  if (since === null || !Number.isNaN(Date.parse(since))) return null;
  return invalidAnswer([{ resource: 'IssueComment', field: 'since', code: 'invalid' }]);
}

function filterChangedSince(rows: readonly Comment[], query: URLSearchParams): readonly Comment[] {
  const since = query.get('since');
  if (since === null) return rows;
  // Times in the API are whole seconds. Include comments of the same second, in spite of their milliseconds.
  return rows.filter((one) => Math.floor(one.updatedAtMs / 1000) * 1000 >= Date.parse(since));
}

async function createComment(call: ActorCall, body: z.infer<typeof text>): Promise<Answer> {
  const issue = findIssueOfCall(call);
  if (issue === null) return notFoundAnswer();
  const problem =
    refuseComment(call, issue, 'Unable to create comment because issue is locked.') ?? findCommentProblem(body.body);
  if (problem !== null) return problem;
  return createdAnswer(shapeComment(call.world, await addComment(call, issue, body.body)));
}

async function editCommentOfCall(call: ActorCall, body: z.infer<typeof text>): Promise<Answer> {
  const found = findOwnComment(call);
  if (!found.ok) return found.answer;
  const problem = findCommentProblem(body.body);
  if (problem !== null) return problem;
  return okAnswer(shapeComment(call.world, await editComment(call, found.issue, found.comment, body.body)));
}

async function deleteCommentOfCall(call: ActorCall): Promise<Answer> {
  const found = findOwnComment(call);
  if (!found.ok) return found.answer;
  await deleteComment(call, found.issue, found.comment);
  return noContentAnswer();
}

function findOwnComment(call: ActorCall) {
  const comment = findComment(call);
  const issue = comment === null ? null : findIssue(call.world, call.repo, comment.issueNumber);
  if (comment === null || issue === null) return { ok: false, answer: notFoundAnswer() } as const;
  const refusal = refuseComment(call, issue, 'Unable to change comment because issue is locked.');
  if (refusal !== null) return { ok: false, answer: refusal } as const;
  if (!canEdit(call, comment)) {
    return { ok: false, answer: failedAnswer(403, 'Must have admin rights to Repository.') } as const;
  }
  return { ok: true, comment, issue } as const;
}

function findCommentProblem(body: string): Answer | null {
  if (body.trim() === '') {
    return invalidAnswer([
      { resource: 'IssueComment', field: 'body', code: 'unprocessable', message: 'Body cannot be blank' },
    ]);
  }
  return isTooLong(body) ? bodyTooLong('IssueComment') : null;
}
