/** The GraphQL node of a repository, with its threads and its git. */

import { resolveCommit } from '../git/resolve-commit.ts';
import { listPullsWith } from '../git/routes/commits.ts';
import { repoPage } from '../git/shape-repo.ts';
import { userRole } from '../identity/permissions.ts';
import { listAssignable } from '../threads/assignees.ts';
import type { Issue } from '../threads/state-threads.ts';
import { asPull, findIssue, listIssuesOf, userById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso } from '../world/time.ts';
import { actorNode } from './authored-nodes.ts';
import { checkFields } from './check-nodes.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import { type Context, requireAccess, threadRead } from './context.ts';
import { graphqlFault } from './fault.ts';
import {
  commitNode,
  expressionNode,
  type HistoryArgs,
  objectNode,
  readHistory,
  refNode,
  type ShapedRef,
  shapeRefNode,
} from './git-nodes.ts';
import { pinnedIssues } from './pinned-issues.ts';
import { labelNode, threadNode } from './thread-nodes.ts';
import { worksFields } from './works-nodes.ts';

type ListArgs = PageArgs & {
  readonly states?: readonly string[] | null;
  readonly labels?: readonly string[] | null;
  readonly headRefName?: string | null;
  readonly baseRefName?: string | null;
  readonly orderBy?: { readonly field: string; readonly direction: string } | null;
  readonly filterBy?: {
    readonly assignee?: string | null;
    readonly createdBy?: string | null;
    readonly mentioned?: string | null;
    readonly labels?: readonly string[] | null;
    readonly states?: readonly string[] | null;
  } | null;
};

export function repositoryNode(context: Context, repo: Repo): object {
  const { world } = context;
  const role = userRole(repo, context.actor.id);
  return {
    __typename: 'Repository',
    id: nodeId('R', repo.id),
    databaseId: repo.id,
    name: repo.name,
    nameWithOwner: `${repo.owner}/${repo.name}`,
    url: repoPage(world, repo),
    isPrivate: repo.private,
    isFork: repo.forkOfId !== undefined,
    parent: () => {
      const parent = repo.forkOfId === undefined ? undefined : world.state.repos[repo.forkOfId];
      return parent === undefined ? null : repositoryNode(context, parent);
    },
    visibility: repo.private ? 'PRIVATE' : 'PUBLIC',
    isArchived: false,
    createdAt: toIso(repo.createdAtMs),
    updatedAt: toIso(repo.pushedAtMs),
    pushedAt: toIso(repo.pushedAtMs),
    pinnedIssues: (args: PageArgs) => pinnedIssues(context, repo, args),
    description: repo.description,
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    mergeCommitAllowed: true,
    rebaseMergeAllowed: true,
    squashMergeAllowed: true,
    owner: actorNode(world, repo.ownerId),
    viewerPermission: role === null ? (repo.private ? null : 'READ') : role.toUpperCase(),
    label: ({ name }: { readonly name: string }) => labelNode(world, repo, name),
    labels: (args: LabelArgs) =>
      buildConnection(labelRows(repo, args), args, ({ name }) => labelNode(world, repo, name)),
    assignableUsers: (args: PageArgs & { readonly query?: string | null }) => {
      const rows = listAssignable(world, repo).filter(({ login }) => login.includes(args.query ?? ''));
      return buildConnection(rows, args, ({ id }) => actorNode(world, id));
    },
    ...worksFields(context, repo),
    collaborators: (args: PageArgs) => collaborators(context, repo, args),
    ...gitFields(context, repo),
    ...threadLookups(context, repo),
  };
}

type LabelArgs = PageArgs & {
  readonly query?: string | null;
  readonly orderBy?: { readonly field: string; readonly direction: string } | null;
};

function labelRows(repo: Repo, { query, orderBy }: LabelArgs): Repo['labels'] {
  const wantedText = (query ?? '').toLowerCase();
  const rows = repo.labels.filter((one) => `${one.name} ${one.description ?? ''}`.toLowerCase().includes(wantedText));
  const sorted = orderBy?.field === 'NAME' ? rows.toSorted((a, b) => a.name.localeCompare(b.name)) : rows;
  return orderBy?.direction === 'DESC' ? sorted.toReversed() : sorted;
}

function gitFields(context: Context, repo: Repo): object {
  const { world } = context;
  const read = <T>(answer: () => T): T => {
    requireAccess(context, repo, ['contents:read'], 'public');
    return answer();
  };
  return {
    defaultBranchRef: () => read(() => refNode(world, repo, `refs/heads/${repo.defaultBranch}`)),
    ref: (args: { readonly qualifiedName: string }) =>
      read(async () => withChecks(context, repo, await refNode(world, repo, args.qualifiedName))),
    refs: (args: PageArgs & { readonly refPrefix: string }) =>
      read(async () => {
        const refs = [...(await world.gitOf(repo).refs(args.refPrefix))];
        return buildConnection(refs, args, ([name, sha]) =>
          withChecks(context, repo, shapeRefNode(world, repo, name, sha)),
        );
      }),
    object: (args: { readonly expression?: string | null; readonly oid?: string | null }) =>
      read(() => {
        if (typeof args.oid === 'string') return objectWithChecks(context, repo, args.oid);
        return typeof args.expression === 'string' ? namedObject(context, repo, args.expression) : null;
      }),
  };
}

/** The tip of a ref requested by name knows the caller, and therefore has checks and statuses. */
function withChecks(context: Context, repo: Repo, ref: ShapedRef | null): object | null {
  if (ref === null) return null;
  const target = async (): Promise<object | null> => {
    const commit = await commitNode(context.world, repo, ref.sha);
    return commit === null ? ref.target() : { ...commit, ...callerFields(context, repo, ref.sha) };
  };
  return { ...ref, target };
}

/** A commit requested by its id has checks too. */
export async function objectWithChecks(context: Context, repo: Repo, oid: string): Promise<object | null> {
  const commit = await commitNode(context.world, repo, oid);
  return commit === null ? objectNode(context.world, repo, oid) : { ...commit, ...callerFields(context, repo, oid) };
}

/** A commit requested by a branch or tag has checks too. */
async function namedObject(context: Context, repo: Repo, expression: string): Promise<object | null> {
  const sha = expression.includes(':') ? null : await resolveCommit(context.world.gitOf(repo), repo, expression);
  return sha === null ? expressionNode(context.world, repo, expression) : objectWithChecks(context, repo, sha);
}

/**
 * The fields of a commit that depend on the caller: its checks, its pull requests, and its history with the same
 * fields.
 */
function callerFields(context: Context, repo: Repo, sha: string): object {
  const { world } = context;
  return {
    ...checkFields(context, repo, sha),
    associatedPullRequests: async (args: PageArgs) => {
      requireAccess(context, repo, ['pull_requests:read'], 'public');
      const rows = await listPullsWith(world, repo, sha);
      return buildConnection(rows, args, (row) => threadNode(context, repo, row));
    },
    history: async (args: HistoryArgs) => {
      const rows = await readHistory(world, repo, sha, args);
      return buildConnection(rows, args, (row) => objectWithChecks(context, repo, row.sha));
    },
  };
}

function threadLookups(context: Context, repo: Repo): object {
  const { world } = context;
  const find = (number: number, fits: (issue: Issue) => boolean, kind: string): object => {
    requireAccess(context, repo, threadRead, 'public');
    const issue = findIssue(world, repo, number);
    if (issue === null || !fits(issue)) {
      throw graphqlFault('NOT_FOUND', `Could not resolve to ${kind} with the number of ${number}.`);
    }
    return threadNode(context, repo, issue);
  };
  type ByNumber = { readonly number: number };
  return {
    issue: ({ number }: ByNumber) => find(number, (one) => one.pull === null, 'an Issue'),
    pullRequest: ({ number }: ByNumber) => find(number, (one) => one.pull !== null, 'a PullRequest'),
    issueOrPullRequest: ({ number }: ByNumber) => find(number, () => true, 'an issue or pull request'),
    issues: (args: ListArgs) => {
      requireAccess(context, repo, threadRead, 'public');
      const rows = listIssuesOf(world, repo).filter(
        (one) =>
          one.pull === null &&
          (args.states?.includes(one.state.toUpperCase()) ?? true) &&
          (args.labels?.some((name) => one.labels.includes(name)) ?? true) &&
          matchesIssueFilter(context, one, args.filterBy),
      );
      return buildConnection(sortIssues(rows, args.orderBy), args, (row) => threadNode(context, repo, row));
    },
    pullRequests: (args: ListArgs) => {
      requireAccess(context, repo, ['pull_requests:read'], 'public');
      const rows = listIssuesOf(world, repo).filter((one) => asPull(one) !== null && matchesPullFilter(one, args));
      return buildConnection(sortIssues(rows, args.orderBy), args, (row) => threadNode(context, repo, row));
    },
  };
}

/** Filters by logins, or by `*` for any; null does not filter. */
function matchesIssueFilter({ world }: Context, issue: Issue, filter: ListArgs['filterBy']): boolean {
  const is = (login: string | null | undefined, id: number): boolean =>
    login === undefined || login === null || userById(world, id).login === login;
  const { assignee, mentioned } = filter ?? {};
  const isAssigned =
    assignee === undefined || assignee === null || issue.assigneeIds.some((id) => assignee === '*' || is(assignee, id));
  return (
    isAssigned &&
    is(filter?.createdBy, issue.authorId) &&
    (mentioned === undefined || mentioned === null || issue.body.includes(`@${mentioned}`)) &&
    (filter?.labels?.some((name) => issue.labels.includes(name)) ?? true) &&
    (filter?.states?.includes(issue.state.toUpperCase()) ?? true)
  );
}

/** By number unless another order is requested, as on GitHub. */
function sortIssues(rows: readonly Issue[], order: ListArgs['orderBy']): readonly Issue[] {
  if (order === undefined || order === null) return rows;
  const sign = order.direction === 'ASC' ? 1 : -1;
  const key = (row: Issue): number => {
    if (order.field === 'COMMENTS') return row.commentIds.length;
    return order.field === 'UPDATED_AT' ? row.updatedAtMs : row.createdAtMs;
  };
  return rows.toSorted((a, b) => sign * (key(a) - key(b) || a.number - b.number));
}

function matchesPullFilter(issue: Issue, args: ListArgs): boolean {
  const { pull } = issue;
  if (pull === null) return false;
  const state = pull.mergedAtMs !== null ? 'MERGED' : issue.state.toUpperCase();
  if (args.states !== undefined && args.states !== null && !args.states.includes(state)) return false;
  if (args.labels?.some((name) => issue.labels.includes(name)) === false) return false;
  return (args.headRefName ?? pull.headRef) === pull.headRef && (args.baseRefName ?? pull.baseRef) === pull.baseRef;
}

function collaborators(context: Context, repo: Repo, args: PageArgs): object {
  requireAccess(context, repo, ['metadata:read'], 'write');
  const rows = Object.entries(repo.collaborators);
  const found = buildConnection(rows, args, ([id, role]) => ({ ...actorNode(context.world, Number(id)), role }));
  return { ...found, edges: found.edges.map((edge) => ({ ...edge, permission: edge.node.role.toUpperCase() })) };
}
