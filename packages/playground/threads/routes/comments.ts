/** Routes of issue comments (docs.github.com/rest/issues/comments), including a pull request's conversation. */

import * as z from 'zod';
import { paged } from '../../api/paging.ts';
import { type Answer, created, failed, invalid, noContent, notFound, ok } from '../../api/reply.ts';
import {
  type ActorCall,
  acts,
  content,
  type RepoCall,
  type Route,
  reads,
  repoAccess,
  writes,
} from '../../api/route.ts';
import { commentsOf, findIssue } from '../../world/lookup.ts';
import { shapeComment } from '../shape-issue.ts';
import type { Comment } from '../state-threads.ts';
import { talkRefusal, threadRefusal } from '../thread-access.ts';
import { addComment, deleteComment, editComment, mayEdit, tooLong } from '../threads.ts';
import { bodyTooLong, issueOf } from './issues.ts';

const read = repoAccess(['issues:read', 'pull_requests:read'], 'public');
const talk = repoAccess(['issues:write', 'pull_requests:write'], 'anyone');
const text = z.object({ body: z.string() });

export const commentRoutes: readonly Route[] = [
  reads('/issues/comments', read, listForRepo),
  reads('/issues/comments/:id', read, (call) => {
    const comment = commentOf(call);
    const issue = comment === null ? null : findIssue(call.world, call.repo, comment.issueNumber);
    if (comment === null || issue === null) return notFound();
    return threadRefusal(call, issue, 'read') ?? ok(shapeComment(call.world, comment));
  }),
  reads('/issues/:number/comments', read, (call) => {
    const issue = issueOf(call);
    if (issue === null) return notFound();
    const refusal = threadRefusal(call, issue, 'read') ?? sinceProblem(call.query);
    if (refusal !== null) return refusal;
    const rows = changedSince(commentsOf(call.world, issue), call.query);
    return paged(call, rows, (one) => shapeComment(call.world, one));
  }),
  content(writes('POST', '/issues/:number/comments', talk, text, create)),
  content(writes('PATCH', '/issues/comments/:id', talk, text, edit)),
  content(acts('DELETE', '/issues/comments/:id', talk, remove)),
];

export function commentOf(call: RepoCall): Comment | null {
  const comment = call.world.state.comments[call.params['id'] ?? ''];
  return comment === undefined || comment.repoId !== call.repo.id ? null : comment;
}

/** `since` selects comments changed at or after a moment, including edits. */
async function listForRepo(call: RepoCall): Promise<Answer> {
  const problem = sinceProblem(call.query);
  if (problem !== null) return problem;
  const rows = Object.values(call.world.state.comments).filter((one) => one.repoId === call.repo.id);
  const sign = call.query.get('direction') === 'desc' ? -1 : 1;
  const at = (one: Comment): number => (call.query.get('sort') === 'updated' ? one.updatedAtMs : one.createdAtMs);
  const sorted = changedSince(rows, call.query).toSorted((a, b) => sign * (at(a) - at(b) || a.id - b.id));
  return paged(call, sorted, (one) => shapeComment(call.world, one));
}

/** An invalid moment is an error: an empty list would look as if nothing had changed. */
export function sinceProblem(query: URLSearchParams): Answer | null {
  const since = query.get('since');
  if (since === null || !Number.isNaN(Date.parse(since))) return null;
  return invalid([{ resource: 'IssueComment', field: 'since', code: 'invalid' }]);
}

function changedSince(rows: readonly Comment[], query: URLSearchParams): readonly Comment[] {
  const since = query.get('since');
  if (since === null) return rows;
  // Times in the API are whole seconds. Include comments of the same second, in spite of their milliseconds.
  return rows.filter((one) => Math.floor(one.updatedAtMs / 1000) * 1000 >= Date.parse(since));
}

async function create(call: ActorCall, body: z.infer<typeof text>): Promise<Answer> {
  const issue = issueOf(call);
  if (issue === null) return notFound();
  const problem =
    talkRefusal(call, issue, 'Unable to create comment because issue is locked.') ?? commentProblem(body.body);
  if (problem !== null) return problem;
  return created(shapeComment(call.world, await addComment(call, issue, body.body)));
}

async function edit(call: ActorCall, body: z.infer<typeof text>): Promise<Answer> {
  const found = ownComment(call);
  if (!found.ok) return found.answer;
  const problem = commentProblem(body.body);
  if (problem !== null) return problem;
  return ok(shapeComment(call.world, await editComment(call, found.issue, found.comment, body.body)));
}

async function remove(call: ActorCall): Promise<Answer> {
  const found = ownComment(call);
  if (!found.ok) return found.answer;
  await deleteComment(call, found.issue, found.comment);
  return noContent();
}

function ownComment(call: ActorCall) {
  const comment = commentOf(call);
  const issue = comment === null ? null : findIssue(call.world, call.repo, comment.issueNumber);
  if (comment === null || issue === null) return { ok: false, answer: notFound() } as const;
  const refusal = talkRefusal(call, issue, 'Unable to change comment because issue is locked.');
  if (refusal !== null) return { ok: false, answer: refusal } as const;
  if (!mayEdit(call, comment)) {
    return { ok: false, answer: failed(403, 'Must have admin rights to Repository.') } as const;
  }
  return { ok: true, comment, issue } as const;
}

function commentProblem(body: string): Answer | null {
  if (body.trim() === '') {
    return invalid([
      { resource: 'IssueComment', field: 'body', code: 'unprocessable', message: 'Body cannot be blank' },
    ]);
  }
  return tooLong(body) ? bodyTooLong('IssueComment') : null;
}
