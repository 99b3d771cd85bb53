/** The pinned issues of a repository. */

import type { Issue } from '../threads/state-threads.ts';
import { issuesOf } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { actorNode } from './authored-nodes.ts';
import { connect, type PageArgs } from './connection.ts';
import { type Context, demand, threadRead } from './context.ts';
import { threadNode } from './thread-nodes.ts';

export function isPinned(issue: Issue): boolean {
  return issue.pinnedById !== undefined;
}

export function pinnedIn(world: World, repo: Repo): readonly Issue[] {
  return issuesOf(world, repo).filter(isPinned);
}

/** `pinnedIssues` of a repository. */
export function pinnedIssues(context: Context, repo: Repo, args: PageArgs): object {
  demand(context, repo, threadRead, 'public');
  return connect(pinnedIn(context.world, repo), args, (issue) => ({
    __typename: 'PinnedIssue',
    id: nodeId('PI', issue.id),
    databaseId: issue.id,
    issue: () => threadNode(context, repo, issue),
    pinnedBy: actorNode(context.world, issue.pinnedById ?? null),
    repository: () => context.repositoryNode(repo),
  }));
}
