/** Routes of assignees (docs.github.com/rest/issues/assignees): list candidates, add, remove. */

import * as z from 'zod';
import { paged } from '../../api/paging.ts';
import { type Answer, created, noContent, notFound, ok } from '../../api/reply.ts';
import { type ActorCall, type Route, reads, repoAccess, writes } from '../../api/route.ts';
import { may } from '../../identity/permissions.ts';
import { shapeUser } from '../../identity/shape-people.ts';
import { assignable, assignee, setAssignees } from '../assignees.ts';
import { shapeIssue } from '../shape-issue.ts';
import type { Issue } from '../state-threads.ts';
import { threadRefusal } from '../thread-access.ts';
import { issueOf } from './issues.ts';

const read = repoAccess(['issues:read', 'pull_requests:read', 'metadata:read'], 'public');
const write = repoAccess(['issues:write', 'pull_requests:write'], 'anyone');
const names = z.object({ assignees: z.array(z.string()).default([]) });

export const assigneeRoutes: readonly Route[] = [
  reads('/assignees', read, (call) =>
    paged(call, assignable(call.world, call.repo), (user) => shapeUser(call.world, user)),
  ),
  reads('/assignees/:login', read, (call) =>
    assignee(call.world, call.repo, call.params['login'] ?? '') === null ? notFound() : noContent(),
  ),
  writes('POST', '/issues/:number/assignees', write, names, async (call, { assignees }) =>
    change(call, assignees, (issue, ids) => [...issue.assigneeIds, ...ids], created),
  ),
  writes('DELETE', '/issues/:number/assignees', write, names, async (call, { assignees }) =>
    change(call, assignees, (issue, ids) => issue.assigneeIds.filter((one) => !ids.includes(one)), ok),
  ),
];

/** Silently skips callers without permission and people who cannot be assigned, as documented. */
async function change(
  call: ActorCall,
  logins: readonly string[],
  wanted: (issue: Issue, ids: readonly number[]) => readonly number[],
  answer: typeof ok,
): Promise<Answer> {
  const issue = issueOf(call);
  if (issue === null) return notFound();
  const refusal = threadRefusal(call, issue, 'write');
  if (refusal !== null) return refusal;
  const need = issue.pull === null ? 'issues:write' : 'pull_requests:write';
  const isTrusted =
    may(call.world, call.caller, call.repo, need, 'triage') ||
    may(call.world, call.caller, call.repo, 'issues:write', 'triage');
  const ids = logins.flatMap((login) => assignee(call.world, call.repo, login)?.id ?? []);
  const changed = isTrusted ? await setAssignees(call, issue, wanted(issue, ids)) : issue;
  return answer(shapeIssue(call.world, changed));
}
