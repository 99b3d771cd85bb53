/** Pins issues above the list of issues, which GitHub supports only in GraphQL. */

import { github } from '../limits/limits.ts';
import { emitIssue, putIssue } from '../threads/threads.ts';
import { asPull } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import { type Context, createAct, requireAccess } from './context.ts';
import { graphqlFault } from './fault.ts';
import { isPinned, listPinned } from './pinned-issues.ts';
import { findThread, rereadIssue } from './thread-mutations.ts';
import { threadNode } from './thread-nodes.ts';

type Input = { readonly input: { readonly issueId: string; readonly clientMutationId?: string | null } };

export function pinMutations(context: Context): object {
  return {
    pinIssue: ({ input }: Input) => setPin(context, input, true),
    unpinIssue: ({ input }: Input) => setPin(context, input, false),
  };
}

/** Requires write access; at most three issues (docs: pinning an issue to your repository). */
async function setPin(
  context: Context,
  { issueId, clientMutationId }: Input['input'],
  isPin: boolean,
): Promise<object> {
  const { repo, issue } = findThread(context, issueId);
  if (asPull(issue) !== null)
    throw graphqlFault('NOT_FOUND', `Could not resolve to Issue node with the global id of '${issueId}'`);
  requireAccess(context, repo, ['issues:write'], 'write');
  const { world } = context;
  if (isPin && !isPinned(issue) && listPinned(world, repo).length >= github.pinnedIssues)
    throw graphqlFault('UNPROCESSABLE', `Maximum ${github.pinnedIssues} pinned issues per repository`);
  if (isPin !== isPinned(issue)) {
    const { pinnedById: _, ...rest } = issue;
    const changed = putIssue(world, isPin ? { ...rest, pinnedById: context.actor.id } : rest);
    await emitIssue(createAct(context, repo), changed, isPin ? 'pinned' : 'unpinned');
  }
  return {
    issue: threadNode(context, repo, rereadIssue(context, repo, issue)),
    clientMutationId,
    ...(isPin ? {} : { id: nodeId('PI', issue.id) }),
  };
}
