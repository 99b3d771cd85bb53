/** Mutations on threads, as the `gh` command line sends them: issues, comments, pull requests, reviews. */

import type { Issue } from '../threads/state-threads.ts';
import {
  asPull,
  findIssue,
  listComments,
  listReviewsOf,
  type PullIssue,
  repoById,
  requireRow,
  userById,
} from '../world/lookup.ts';
import { readNodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import type { Context } from './context.ts';
import { graphqlFault } from './fault.ts';
import { callRest } from './rest-call.ts';
import { commentNode, reviewNode, threadNode } from './thread-nodes.ts';

type Input<Fields> = { readonly input: Fields & { readonly clientMutationId?: string | null } };
type Payload = Promise<object>;

export function threadMutations(context: Context): object {
  return {
    createIssue: ({ input }: Input<NewIssue>) => createIssue(context, input),
    closeIssue: ({ input }: Input<{ issueId: string; stateReason?: string | null }>): Payload =>
      setState(context, input.issueId, 'issue', input, {
        state: 'closed',
        state_reason: (input.stateReason ?? 'COMPLETED').toLowerCase(),
      }),
    reopenIssue: ({ input }: Input<{ issueId: string }>): Payload =>
      setState(context, input.issueId, 'issue', input, { state: 'open' }),
    closePullRequest: ({ input }: Input<{ pullRequestId: string }>): Payload =>
      setState(context, input.pullRequestId, 'pullRequest', input, { state: 'closed' }),
    addComment: ({ input }: Input<{ subjectId: string; body: string }>) => addComment(context, input),
    createPullRequest: ({ input }: Input<NewPull>) => createPull(context, input),
    mergePullRequest: ({ input }: Input<Merge>) => merge(context, input),
    addPullRequestReview: ({ input }: Input<NewReview>) => review(context, input),
  };
}

type NewIssue = Input<{
  repositoryId: string;
  title: string;
  body?: string | null;
  labelIds?: readonly string[] | null;
  assigneeIds?: readonly string[] | null;
  milestoneId?: string | null;
}>['input'];

async function createIssue(context: Context, input: NewIssue): Payload {
  const repo = findRepoByNodeId(context, input.repositoryId);
  const labels = (input.labelIds ?? []).map((id) => {
    const key = readNodeId(id)?.key;
    return requireRow(repo.labels.find((one) => `${one.id}` === key) ?? null, `label ${id}`).name;
  });
  const { title, body } = input;
  const assignees = (input.assigneeIds ?? []).map((id) => userById(context.world, Number(readNodeId(id)?.key)).login);
  const milestone = context.world.state.milestones[readNodeId(input.milestoneId ?? '')?.key ?? '']?.number ?? null;
  await callRest(context, repo, 'POST', '/issues', { title, body: body ?? '', labels, assignees, milestone });
  return { issue: threadNode(context, repo, newestIssue(context, repo)), clientMutationId: input.clientMutationId };
}

async function setState(
  context: Context,
  id: string,
  field: 'issue' | 'pullRequest',
  { clientMutationId }: { readonly clientMutationId?: string | null },
  change: Readonly<Record<string, string>>,
): Payload {
  const { repo, issue } = findThread(context, id);
  await callRest(context, repo, 'PATCH', `/issues/${issue.number}`, change);
  return { [field]: threadNode(context, repo, rereadIssue(context, repo, issue)), clientMutationId };
}

async function addComment(context: Context, input: Input<{ subjectId: string; body: string }>['input']): Payload {
  const { repo, issue } = findThread(context, input.subjectId);
  await callRest(context, repo, 'POST', `/issues/${issue.number}/comments`, { body: input.body });
  const after = rereadIssue(context, repo, issue);
  const made = requireRow(listComments(context.world, after).at(-1), 'comment that was just made');
  return {
    commentEdge: { cursor: '', node: commentNode(context, made) },
    subject: threadNode(context, repo, after),
    clientMutationId: input.clientMutationId,
  };
}

type NewPull = Input<{
  repositoryId: string;
  baseRefName: string;
  headRefName: string;
  title: string;
  body?: string | null;
  draft?: boolean | null;
}>['input'];

async function createPull(context: Context, input: NewPull): Payload {
  const repo = findRepoByNodeId(context, input.repositoryId);
  await callRest(context, repo, 'POST', '/pulls', {
    title: input.title,
    body: input.body ?? '',
    head: input.headRefName,
    base: input.baseRefName,
    draft: input.draft ?? false,
  });
  return {
    pullRequest: threadNode(context, repo, newestIssue(context, repo)),
    clientMutationId: input.clientMutationId,
  };
}

type Merge = Input<{
  pullRequestId: string;
  commitHeadline?: string | null;
  commitBody?: string | null;
  expectedHeadOid?: string | null;
  mergeMethod?: string | null;
}>['input'];

async function merge(context: Context, input: Merge): Payload {
  const { repo, issue } = findPullThread(context, input.pullRequestId);
  const { commitHeadline, commitBody, expectedHeadOid } = input;
  await callRest(context, repo, 'PUT', `/pulls/${issue.number}/merge`, {
    merge_method: (input.mergeMethod ?? 'MERGE').toLowerCase(),
    ...(typeof commitHeadline === 'string' ? { commit_title: commitHeadline } : {}),
    ...(typeof commitBody === 'string' ? { commit_message: commitBody } : {}),
    ...(typeof expectedHeadOid === 'string' ? { sha: expectedHeadOid } : {}),
  });
  return {
    pullRequest: threadNode(context, repo, rereadIssue(context, repo, issue)),
    clientMutationId: input.clientMutationId,
  };
}

type NewReview = Input<{ pullRequestId: string; body?: string | null; event?: string | null }>['input'];

async function review(context: Context, input: NewReview): Payload {
  const { repo, issue } = findPullThread(context, input.pullRequestId);
  const event = typeof input.event === 'string' ? { event: input.event } : {};
  await callRest(context, repo, 'POST', `/pulls/${issue.number}/reviews`, { body: input.body ?? '', ...event });
  const after = requireRow(asPull(rereadIssue(context, repo, issue)), 'pull request that was just reviewed');
  const made = requireRow(listReviewsOf(context.world, after).at(-1), 'review that was just made');
  return { pullRequestReview: reviewNode(context, repo, after, made), clientMutationId: input.clientMutationId };
}

function findRepoByNodeId({ world }: Context, id: string): Repo {
  const read = readNodeId(id);
  const repo = read?.prefix === 'R' ? world.state.repos[read.key] : undefined;
  if (repo === undefined) throw unknownNodeError(id);
  return repo;
}

export function findThread(context: Context, id: string): { readonly repo: Repo; readonly issue: Issue } {
  const read = readNodeId(id);
  const isThread = read?.prefix === 'I' || read?.prefix === 'PR';
  const issue = isThread ? context.world.state.issues[read.key] : undefined;
  if (issue === undefined) throw unknownNodeError(id);
  return { repo: repoById(context.world, issue.repoId), issue };
}

export function findPullThread(context: Context, id: string): { readonly repo: Repo; readonly issue: PullIssue } {
  const { repo, issue } = findThread(context, id);
  const pull = asPull(issue);
  if (pull === null) throw unknownNodeError(id);
  return { repo, issue: pull };
}

export function rereadIssue({ world }: Context, repo: Repo, issue: Issue): Issue {
  return requireRow(findIssue(world, repo, issue.number), `thread ${issue.number}`);
}

/** The most recently opened thread. */
function newestIssue({ world }: Context, repo: Repo): Issue {
  const { lastNumber } = world.state.repos[repo.id] ?? repo;
  return requireRow(findIssue(world, repo, lastNumber), `thread ${lastNumber}`);
}

function unknownNodeError(id: string): Error {
  return graphqlFault('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}
