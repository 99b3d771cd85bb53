/** Mutations that change an existing thread, as `gh issue edit`, `gh pr edit` and `gh pr ready` send them. */

import type { JsonObject } from '../world/json.ts';
import { userById } from '../world/lookup.ts';
import { readNodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import type { Context } from './context.ts';
import { graphqlFault } from './fault.ts';
import { callRest } from './rest-call.ts';
import { findPullThread, findThread, rereadIssue } from './thread-mutations.ts';
import { threadNode } from './thread-nodes.ts';

type Ids = readonly string[] | null;
type Input<Fields> = { readonly input: Fields & { readonly clientMutationId?: string | null } };
type Edit = {
  readonly title?: string | null;
  readonly body?: string | null;
  readonly state?: string | null;
  readonly labelIds?: Ids;
  readonly assigneeIds?: Ids;
  readonly milestoneId?: string | null;
  readonly baseRefName?: string | null;
};

export function editMutations(context: Context): object {
  return {
    updateIssue: ({ input }: Input<Edit & { readonly id: string }>) => editThread(context, input.id, 'issue', input),
    updatePullRequest: ({ input }: Input<Edit & { readonly pullRequestId: string }>) =>
      editThread(context, input.pullRequestId, 'pullRequest', input),
    addLabelsToLabelable: ({ input }: Input<{ readonly labelableId: string; readonly labelIds: readonly string[] }>) =>
      changeLabels(context, input, true),
    removeLabelsFromLabelable: ({
      input,
    }: Input<{ readonly labelableId: string; readonly labelIds: readonly string[] }>) =>
      changeLabels(context, input, false),
    requestReviews: ({ input }: Input<Reviews>) => requestReviews(context, input),
    lockLockable: ({ input }: Input<{ readonly lockableId: string; readonly lockReason?: string | null }>) =>
      setLock(context, input, 'PUT'),
    unlockLockable: ({ input }: Input<{ readonly lockableId: string }>) => setLock(context, input, 'DELETE'),
    reopenPullRequest: ({ input }: Input<{ readonly pullRequestId: string }>) =>
      editThread(context, input.pullRequestId, 'pullRequest', { state: 'OPEN' }),
  };
}

async function editThread(context: Context, id: string, field: 'issue' | 'pullRequest', wanted: Edit): Promise<object> {
  const { repo, issue } = findThread(context, id);
  const { title, body, state, baseRefName } = wanted;
  const texts: JsonObject = {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof body === 'string' ? { body } : {}),
    ...(typeof state === 'string' ? { state: state.toLowerCase() } : {}),
  };
  const base = typeof baseRefName === 'string' ? { base: baseRefName } : {};
  if (field === 'pullRequest' && Object.keys({ ...texts, ...base }).length > 0)
    await callRest(context, repo, 'PATCH', `/pulls/${issue.number}`, { ...texts, ...base });
  const rest: JsonObject = {
    ...(field === 'issue' ? texts : {}),
    ...(wanted.labelIds ? { labels: labelNames(repo, wanted.labelIds) } : {}),
    ...(wanted.assigneeIds ? { assignees: loginsFromIds(context, wanted.assigneeIds) } : {}),
    ...milestoneFields(context, wanted),
  };
  if (Object.keys(rest).length > 0) await callRest(context, repo, 'PATCH', `/issues/${issue.number}`, rest);
  return { [field]: threadNode(context, repo, rereadIssue(context, repo, issue)) };
}

async function changeLabels(
  context: Context,
  input: { readonly labelableId: string; readonly labelIds: readonly string[] },
  isAdded: boolean,
): Promise<object> {
  const { repo, issue } = findThread(context, input.labelableId);
  const names = labelNames(repo, input.labelIds);
  const place = `/issues/${issue.number}/labels`;
  if (isAdded) await callRest(context, repo, 'POST', place, { labels: names });
  else
    for (const name of names.filter((one) => issue.labels.includes(one)))
      await callRest(context, repo, 'DELETE', `${place}/${encodeURIComponent(name)}`, {});
  return { labelable: threadNode(context, repo, rereadIssue(context, repo, issue)) };
}

type Reviews = {
  readonly pullRequestId: string;
  readonly userIds?: Ids;
  readonly teamIds?: Ids;
  readonly union?: boolean | null;
};

/** `union` adds to the requested reviewers; without it they are replaced. */
async function requestReviews(context: Context, input: Reviews): Promise<object> {
  const { repo, issue } = findPullThread(context, input.pullRequestId);
  const wanted = loginsFromIds(context, input.userIds ?? []);
  const place = `/pulls/${issue.number}/requested_reviewers`;
  const before = issue.pull.requestedReviewerIds.map((id) => userById(context.world, id).login);
  const gone = input.union === true ? [] : before.filter((login) => !wanted.includes(login));
  if ((input.teamIds ?? []).length > 0)
    throw graphqlFault('UNPROCESSABLE', 'THE PLAYGROUND HAS NO TEAMS to ask for a review');
  if (gone.length > 0) await callRest(context, repo, 'DELETE', place, { reviewers: gone });
  if (wanted.length > 0) await callRest(context, repo, 'POST', place, { reviewers: wanted });
  return { pullRequest: threadNode(context, repo, rereadIssue(context, repo, issue)) };
}

async function setLock(
  context: Context,
  input: { readonly lockableId: string; readonly lockReason?: string | null },
  method: 'PUT' | 'DELETE',
): Promise<object> {
  const { repo, issue } = findThread(context, input.lockableId);
  const reason = input.lockReason?.toLowerCase().replace('off_topic', 'off-topic').replace('_', ' ');
  const body = reason === undefined ? {} : { lock_reason: reason };
  await callRest(context, repo, method, `/issues/${issue.number}/lock`, body);
  const after = threadNode(context, repo, rereadIssue(context, repo, issue));
  return method === 'PUT' ? { lockedRecord: after } : { unlockedRecord: after };
}

function labelNames(repo: Repo, ids: readonly string[]): readonly string[] {
  return ids.map((id) => {
    const key = readNodeId(id)?.key;
    const label = repo.labels.find((one) => `${one.id}` === key);
    if (label === undefined) throw unknownNodeError(id);
    return label.name;
  });
}

function loginsFromIds({ world }: Context, ids: readonly string[]): readonly string[] {
  return ids.map((id) => {
    const user = world.state.users[readNodeId(id)?.key ?? ''];
    if (user === undefined) throw unknownNodeError(id);
    return user.login;
  });
}

/** Null removes the milestone; a mutation without the field keeps it. */
function milestoneFields({ world }: Context, { milestoneId }: Edit): JsonObject {
  if (milestoneId === undefined) return {};
  if (milestoneId === null) return { milestone: null };
  const row = world.state.milestones[readNodeId(milestoneId)?.key ?? ''];
  if (row === undefined) throw unknownNodeError(milestoneId);
  return { milestone: row.number };
}

function unknownNodeError(id: string): Error {
  return graphqlFault('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}
