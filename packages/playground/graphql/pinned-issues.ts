/** The pinned issues of a repository. */

import type { Issue } from '../threads/state-threads.ts';
import { listIssuesOf } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { actorNode } from './authored-nodes.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import { type Context, requireAccess, threadRead } from './context.ts';
import { threadNode } from './thread-nodes.ts';

export function isPinned(issue: Issue): boolean {
  return issue.pinnedById !== undefined;
}

export function listPinned(world: World, repo: Repo): readonly Issue[] {
  return listIssuesOf(world, repo).filter(isPinned);
}

/** `pinnedIssues` of a repository. */
export function pinnedIssues(context: Context, repo: Repo, args: PageArgs): object {
  requireAccess(context, repo, threadRead, 'public');
  return buildConnection(listPinned(context.world, repo), args, (issue) => ({
    __typename: 'PinnedIssue',
    id: nodeId('PI', issue.id),
    databaseId: issue.id,
    issue: () => threadNode(context, repo, issue),
    pinnedBy: actorNode(context.world, issue.pinnedById ?? null),
    repository: () => context.repositoryNode(repo),
  }));
}
