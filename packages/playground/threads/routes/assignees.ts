/** Routes of assignees (docs.github.com/rest/issues/assignees): list candidates, add, remove. */

import * as z from 'zod';
import { answerPage } from '../../api/paging.ts';
import { type Answer, createdAnswer, noContentAnswer, notFoundAnswer, okAnswer } from '../../api/reply.ts';
import { type ActorCall, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { isAllowed } from '../../identity/permissions.ts';
import { shapeUser } from '../../identity/shape-people.ts';
import { findAssignee, listAssignable, setAssignees } from '../assignees.ts';
import { shapeIssue } from '../shape-issue.ts';
import type { Issue } from '../state-threads.ts';
import { refuseThreadAccess } from '../thread-access.ts';
import { findIssueOfCall } from './issues.ts';

const read = repoAccess(['issues:read', 'pull_requests:read', 'metadata:read'], 'public');
const write = repoAccess(['issues:write', 'pull_requests:write'], 'anyone');
const names = z.object({ assignees: z.array(z.string()).default([]) });

export const assigneeRoutes: readonly Route[] = [
  readRoute('/assignees', read, (call) =>
    answerPage(call, listAssignable(call.world, call.repo), (user) => shapeUser(call.world, user)),
  ),
  readRoute('/assignees/:login', read, (call) =>
    findAssignee(call.world, call.repo, call.params['login'] ?? '') === null ? notFoundAnswer() : noContentAnswer(),
  ),
  writeRoute('POST', '/issues/:number/assignees', write, names, async (call, { assignees }) =>
    change(call, assignees, (issue, ids) => [...issue.assigneeIds, ...ids], createdAnswer),
  ),
  writeRoute('DELETE', '/issues/:number/assignees', write, names, async (call, { assignees }) =>
    change(call, assignees, (issue, ids) => issue.assigneeIds.filter((one) => !ids.includes(one)), okAnswer),
  ),
];

/** Silently skips callers without permission and people who cannot be assigned, as documented. */
async function change(
  call: ActorCall,
  logins: readonly string[],
  wanted: (issue: Issue, ids: readonly number[]) => readonly number[],
  answer: typeof okAnswer,
): Promise<Answer> {
  const issue = findIssueOfCall(call);
  if (issue === null) return notFoundAnswer();
  const refusal = refuseThreadAccess(call, issue, 'write');
  if (refusal !== null) return refusal;
  const need = issue.pull === null ? 'issues:write' : 'pull_requests:write';
  const isTrusted =
    isAllowed(call.world, call.caller, call.repo, need, 'triage') ||
    isAllowed(call.world, call.caller, call.repo, 'issues:write', 'triage');
  const ids = logins.flatMap((login) => findAssignee(call.world, call.repo, login)?.id ?? []);
  const changed = isTrusted ? await setAssignees(call, issue, wanted(issue, ids)) : issue;
  return answer(shapeIssue(call.world, changed));
}
