/** Routes of issues (docs.github.com/rest/issues/issues): list, get, create, update, lock. */

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
import { may } from '../../identity/permissions.ts';
import { github } from '../../limits/limits.ts';
import { findIssue, findUser, issuesOf } from '../../world/lookup.ts';
import { assignee, setAssignees } from '../assignees.ts';
import { labelsProblem, setLabels } from '../label-changes.ts';
import { shapeIssue } from '../shape-issue.ts';
import { milestonesOf } from '../shape-milestone.ts';
import type { Issue } from '../state-threads.ts';
import { threadRefusal } from '../thread-access.ts';
import { authoredBy, emitIssue, freshThread, mayTalk, putIssue, takeNumber, tooLong } from '../threads.ts';
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
  reads('/issues', readIssues, listIssues),
  reads('/issues/:number', readIssues, (call) => {
    const issue = issueOf(call);
    if (issue === null) return notFound();
    return threadRefusal(call, issue, 'read') ?? ok(shapeIssue(call.world, issue));
  }),
  content(writes('POST', '/issues', openIssues, creation, createIssue)),
  content(writes('PATCH', '/issues/:number', writeThreads, issueChanges, updateIssue)),
  writes('PUT', '/issues/:number/lock', manage, lock, async (call, body) => {
    return setLock(call, true, body.lock_reason ?? null);
  }),
  acts('DELETE', '/issues/:number/lock', manage, (call) => setLock(call, false, null)),
];

/** The issue or pull request with the number in `:number`. */
export function issueOf(call: RepoCall): Issue | null {
  const number = Number(call.params['number']);
  return Number.isSafeInteger(number) ? findIssue(call.world, call.repo, number) : null;
}

async function listIssues(call: RepoCall): Promise<Answer> {
  const { query } = call;
  const state = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
  const since = query.get('since');
  if (since !== null && Number.isNaN(Date.parse(since)))
    return invalid([{ resource: 'Issue', field: 'since', code: 'invalid' }]);
  const creator = query.get('creator');
  const assignee = query.get('assignee');
  const creatorId = creator === null ? null : (findUser(call.world, creator)?.id ?? -1);
  const assigneeId =
    assignee === null || assignee === '*' || assignee === 'none' ? null : (findUser(call.world, assignee)?.id ?? -1);
  const rows = issuesOf(call.world, call.repo).filter(
    (issue) =>
      (state === 'all' || issue.state === state) &&
      labels.every((name) => issue.labels.some((one) => one.toLowerCase() === name.toLowerCase())) &&
      (since === null || Math.floor(issue.updatedAtMs / 1000) * 1000 >= Date.parse(since)) &&
      (creatorId === null || issue.authorId === creatorId) &&
      (assigneeId === null || issue.assigneeIds.includes(assigneeId)),
  );
  return paged(call, rows.toSorted(orderOf(query)), (issue) => shapeIssue(call.world, issue));
}

function orderOf(query: URLSearchParams): (a: Issue, b: Issue) => number {
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
  const problem = textProblem('Issue', body.title, body.body ?? '');
  if (problem !== null) return problem;
  const trusted = may(call.world, call.caller, call.repo, 'issues:write', 'triage');
  const refusal = trusted
    ? (labelsProblem(call, body.labels ?? []) ?? peopleProblem(call, body) ?? milestoneProblem(call, body))
    : null;
  if (refusal !== null) return refusal;
  const number = takeNumber(call);
  const issue = putIssue(call.world, {
    ...authoredBy(call, 'issues', body.body ?? ''),
    ...freshThread,
    repoId: call.repo.id,
    number,
    title: body.title,
    pull: null,
  });
  await emitIssue(call, issue, 'opened');
  // If a person may not set labels, create the issue without labels and without an error, as GitHub does.
  if (!trusted) return created(shapeIssue(call.world, issue));
  const labelled = await setLabels(call, issue, [...new Set(body.labels ?? [])]);
  const ids = (body.assignees ?? []).flatMap((login) => assignee(call.world, call.repo, login)?.id ?? []);
  const assigned = await setAssignees(call, labelled, ids);
  return created(shapeIssue(call.world, await setMilestone(call, assigned, body.milestone ?? null)));
}

async function updateIssue(call: ActorCall, body: z.infer<typeof issueChanges>): Promise<Answer> {
  const issue = issueOf(call);
  if (issue === null) return notFound();
  const problem =
    threadRefusal(call, issue, 'write') ??
    changeRefusal(call, issue, body) ??
    textProblem('Issue', body.title ?? issue.title, body.body ?? '') ??
    (mayTriage(call, issue)
      ? (labelsProblem(call, body.labels ?? []) ?? peopleProblem(call, body) ?? milestoneProblem(call, body))
      : null);
  if (problem !== null) return problem;
  const changed = await applyIssueChanges(call, issue, body);
  return ok(shapeIssue(call.world, changed));
}

function mayTriage(call: ActorCall, issue: Issue): boolean {
  const need = issue.pull === null ? 'issues:write' : 'pull_requests:write';
  return (
    may(call.world, call.caller, call.repo, need, 'triage') ||
    may(call.world, call.caller, call.repo, 'issues:write', 'triage')
  );
}

/** An author may change an unlocked thread, and reopen it unless another person closed it. */
function changeRefusal(call: ActorCall, issue: Issue, body: z.infer<typeof issueChanges>): Answer | null {
  if (mayTriage(call, issue)) return null;
  if (issue.authorId !== call.actor.id)
    return failed(403, 'Must have triage rights to the repository, or be the author.');
  if (!mayTalk(call, issue)) return failed(403, 'Unable to update issue because issue is locked.');
  const reopens = body.state === 'open' && issue.state === 'closed' && issue.closedById !== call.actor.id;
  return reopens ? failed(403, 'Must have triage rights to reopen what somebody else closed.') : null;
}

/** 422 for a missing title and for texts longer than GitHub stores. */
export function textProblem(resource: string, titleText: string, body: string): Answer | null {
  if (titleText.trim() === '') return invalid([{ resource, field: 'title', code: 'missing_field' }]);
  if (titleText.length > github.titleCharacters) {
    const message = `title is too long (maximum is ${github.titleCharacters} characters)`;
    return invalid([{ resource, field: 'title', code: 'custom', message }]);
  }
  return tooLong(body) ? bodyTooLong(resource) : null;
}

/** GitHub's 422 for a body of more than 65,536 characters. */
export function bodyTooLong(resource: string): Answer {
  const message = `body is too long (maximum is ${github.bodyCharacters} characters)`;
  return invalid([{ resource, field: 'body', code: 'custom', message }]);
}

/** 422 for a milestone that the repository does not have. */
function milestoneProblem(
  call: ActorCall,
  { milestone }: { milestone?: number | string | null | undefined },
): Answer | null {
  if (milestone === undefined || milestone === null) return null;
  const isKnown = milestonesOf(call.world, call.repo.id).some(({ number }) => `${number}` === `${milestone}`);
  return isKnown ? null : invalid([{ resource: 'Issue', field: 'milestone', code: 'invalid' }]);
}

/** 422 for a person to whom the repository's threads cannot be assigned. */
function peopleProblem(
  call: ActorCall,
  { assignees }: { assignees?: readonly string[] | null | undefined },
): Answer | null {
  const isUnknown = (login: string): boolean => assignee(call.world, call.repo, login) === null;
  return (assignees ?? []).some(isUnknown)
    ? invalid([{ resource: 'Issue', field: 'assignees', code: 'invalid' }])
    : null;
}

async function setLock(call: ActorCall, locked: boolean, reason: string | null): Promise<Answer> {
  const issue = issueOf(call);
  if (issue === null) return notFound();
  if (issue.locked !== locked) {
    const changed = putIssue(call.world, { ...issue, locked, lockReason: locked ? reason : null });
    await emitIssue(call, changed, locked ? 'locked' : 'unlocked');
  }
  return noContent();
}
