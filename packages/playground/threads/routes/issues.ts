/** Routes of issues (docs.github.com/rest/issues/issues): list, get, create, update, lock. */

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
import { isAllowed } from '../../identity/permissions.ts';
import { github } from '../../limits/limits.ts';
import { findIssue, findUser, listIssuesOf } from '../../world/lookup.ts';
import { findAssignee, setAssignees } from '../assignees.ts';
import { findLabelsProblem, setLabels } from '../label-changes.ts';
import { shapeIssue } from '../shape-issue.ts';
import { listMilestonesOf } from '../shape-milestone.ts';
import type { Issue } from '../state-threads.ts';
import { refuseThreadAccess } from '../thread-access.ts';
import { canComment, createAuthored, emitIssue, isTooLong, putIssue, reloadThread, takeNumber } from '../threads.ts';
import { applyIssueChanges, issueChanges, setMilestone } from '../update-issue.ts';

const readIssues = repoAccess(['issues:read', 'pull_requests:read'], 'public');
const openIssues = repoAccess('issues:write', 'anyone');
const writeThreads = repoAccess(['issues:write', 'pull_requests:write'], 'anyone');
const manage = repoAccess(['issues:write', 'pull_requests:write'], 'write');

const title = z.union([z.string(), z.number()]).transform((text) => `${text}`);
const labelNames = z.array(z.union([z.string(), z.object({ name: z.string() }).transform((one) => one.name)]));
const creation = z.object({
  title,
  body: z.string().nullish(),
  labels: labelNames.nullish(),
  assignees: z.array(z.string()).nullish(),
  milestone: z.union([z.int(), z.string()]).nullish(),
});
const lock = z.object({ lock_reason: z.enum(['off-topic', 'too heated', 'resolved', 'spam']).optional() });

export const issueRoutes: readonly Route[] = [
  readRoute('/issues', readIssues, listIssues),
  readRoute('/issues/:number', readIssues, (call) => {
    const issue = findIssueOfCall(call);
    if (issue === null) return notFoundAnswer();
    return refuseThreadAccess(call, issue, 'read') ?? okAnswer(shapeIssue(call.world, issue));
  }),
  contentRoute(writeRoute('POST', '/issues', openIssues, creation, createIssue)),
  contentRoute(writeRoute('PATCH', '/issues/:number', writeThreads, issueChanges, updateIssue)),
  writeRoute('PUT', '/issues/:number/lock', manage, lock, async (call, body) => {
    return setLock(call, true, body.lock_reason ?? null);
  }),
  actRoute('DELETE', '/issues/:number/lock', manage, (call) => setLock(call, false, null)),
];

/** The issue or pull request with the number in `:number`. */
export function findIssueOfCall(call: RepoCall): Issue | null {
  const number = Number(call.params['number']);
  return Number.isSafeInteger(number) ? findIssue(call.world, call.repo, number) : null;
}

async function listIssues(call: RepoCall): Promise<Answer> {
  const { query } = call;
  const state = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
  const since = query.get('since');
  if (since !== null && Number.isNaN(Date.parse(since)))
    return invalidAnswer([{ resource: 'Issue', field: 'since', code: 'invalid' }]);
  const creator = query.get('creator');
  const assignee = query.get('assignee');
  const creatorId = creator === null ? null : (findUser(call.world, creator)?.id ?? -1);
  const assigneeId =
    assignee === null || assignee === '*' || assignee === 'none' ? null : (findUser(call.world, assignee)?.id ?? -1);
  const rows = listIssuesOf(call.world, call.repo).filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      labels.every((name) => issue.labels.some((one) => one.toLowerCase() === name.toLowerCase())) &&
      (since === null || Math.floor(issue.updatedAtMs / 1000) * 1000 >= Date.parse(since)) &&
      (creatorId === null || issue.authorId === creatorId) &&
      (assigneeId === null || issue.assigneeIds.includes(assigneeId)),
  );
  return answerPage(call, rows.toSorted(issueOrder(query)), (issue) => shapeIssue(call.world, issue));
}

function issueOrder(query: URLSearchParams): (a: Issue, b: Issue) => number {
  const sign = query.get('direction') === 'asc' ? 1 : -1;
  switch (query.get('sort')) {
    case 'updated':
      return (a, b) => sign * (a.updatedAtMs - b.updatedAtMs || a.number - b.number);
    case 'comments':
      return (a, b) => sign * (a.commentIds.length - b.commentIds.length || a.number - b.number);
    default:
      return (a, b) => sign * (a.number - b.number);
  }
}

async function createIssue(call: ActorCall, body: z.infer<typeof creation>): Promise<Answer> {
  const problem = findTextProblem('Issue', body.title, body.body ?? '');
  if (problem !== null) return problem;
  const trusted = isAllowed(call.world, call.caller, call.repo, 'issues:write', 'triage');
  const refusal = trusted
    ? (findLabelsProblem(call, body.labels ?? []) ?? findPeopleProblem(call, body) ?? findMilestoneProblem(call, body))
    : null;
  if (refusal !== null) return refusal;
  const number = takeNumber(call);
  const issue = putIssue(call.world, {
    ...createAuthored(call, 'issues', body.body ?? ''),
    ...reloadThread,
    repoId: call.repo.id,
    number,
    title: body.title,
    pull: null,
  });
  await emitIssue(call, issue, 'opened');
  // If a person may not set labels, create the issue without labels and without an error, as GitHub does.
  if (!trusted) return createdAnswer(shapeIssue(call.world, issue));
  const labelled = await setLabels(call, issue, [...new Set(body.labels ?? [])]);
  const ids = (body.assignees ?? []).flatMap((login) => findAssignee(call.world, call.repo, login)?.id ?? []);
  const assigned = await setAssignees(call, labelled, ids);
  return createdAnswer(shapeIssue(call.world, await setMilestone(call, assigned, body.milestone ?? null)));
}

async function updateIssue(call: ActorCall, body: z.infer<typeof issueChanges>): Promise<Answer> {
  const issue = findIssueOfCall(call);
  if (issue === null) return notFoundAnswer();
  const problem =
    refuseThreadAccess(call, issue, 'write') ??
    refuseChange(call, issue, body) ??
    findTextProblem('Issue', body.title ?? issue.title, body.body ?? '') ??
    (canTriage(call, issue)
      ? (findLabelsProblem(call, body.labels ?? []) ??
        findPeopleProblem(call, body) ??
        findMilestoneProblem(call, body))
      : null);
  if (problem !== null) return problem;
  const changed = await applyIssueChanges(call, issue, body);
  return okAnswer(shapeIssue(call.world, changed));
}

function canTriage(call: ActorCall, issue: Issue): boolean {
  const need = issue.pull === null ? 'issues:write' : 'pull_requests:write';
  return (
    isAllowed(call.world, call.caller, call.repo, need, 'triage') ||
    isAllowed(call.world, call.caller, call.repo, 'issues:write', 'triage')
  );
}

/** An author may change an unlocked thread, and reopen it unless another person closed it. */
function refuseChange(call: ActorCall, issue: Issue, body: z.infer<typeof issueChanges>): Answer | null {
  if (canTriage(call, issue)) return null;
  if (issue.authorId !== call.actor.id)
    return failedAnswer(403, 'Must have triage rights to the repository, or be the author.');
  if (!canComment(call, issue)) return failedAnswer(403, 'Unable to update issue because issue is locked.');
  const reopens = body.state === 'open' && issue.state === 'closed' && issue.closedById !== call.actor.id;
  return reopens ? failedAnswer(403, 'Must have triage rights to reopen what somebody else closed.') : null;
}

/** 422 for a missing title and for texts longer than GitHub stores. */
export function findTextProblem(resource: string, titleText: string, body: string): Answer | null {
  if (titleText.trim() === '') return invalidAnswer([{ resource, field: 'title', code: 'missing_field' }]);
  if (titleText.length > github.titleCharacters) {
    const message = `title is too long (maximum is ${github.titleCharacters} characters)`;
    return invalidAnswer([{ resource, field: 'title', code: 'custom', message }]);
  }
  return isTooLong(body) ? bodyTooLong(resource) : null;
}

/** GitHub's 422 for a body of more than 65,536 characters. */
export function bodyTooLong(resource: string): Answer {
  const message = `body is too long (maximum is ${github.bodyCharacters} characters)`;
  return invalidAnswer([{ resource, field: 'body', code: 'custom', message }]);
}

/** 422 for a milestone that the repository does not have. */
function findMilestoneProblem(
  call: ActorCall,
  { milestone }: { milestone?: number | string | null | undefined },
): Answer | null {
  if (milestone === undefined || milestone === null) return null;
  const isKnown = listMilestonesOf(call.world, call.repo.id).some(({ number }) => `${number}` === `${milestone}`);
  return isKnown ? null : invalidAnswer([{ resource: 'Issue', field: 'milestone', code: 'invalid' }]);
}

/** 422 for a person to whom the repository's threads cannot be assigned. */
function findPeopleProblem(
  call: ActorCall,
  { assignees }: { assignees?: readonly string[] | null | undefined },
): Answer | null {
  const isUnknown = (login: string): boolean => findAssignee(call.world, call.repo, login) === null;
  return (assignees ?? []).some(isUnknown)
    ? invalidAnswer([{ resource: 'Issue', field: 'assignees', code: 'invalid' }])
    : null;
}

async function setLock(call: ActorCall, locked: boolean, reason: string | null): Promise<Answer> {
  const issue = findIssueOfCall(call);
  if (issue === null) return notFoundAnswer();
  if (issue.locked !== locked) {
    const changed = putIssue(call.world, { ...issue, locked, lockReason: locked ? reason : null });
    await emitIssue(call, changed, locked ? 'locked' : 'unlocked');
  }
  return noContentAnswer();
}
