/** GraphQL mutations: hide comments, react, move refs by compare-and-set, commit on a branch. */

import { addReaction, findInTable, type Reactable, refuseReaction } from '../threads/routes/reactions.ts';
import type { ReactionContent } from '../threads/state-threads.ts';
import { findIssue, findRepo, repoById, requireRow } from '../world/lookup.ts';
import { readNodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { reactionNames, reactionNode } from './authored-nodes.ts';
import { type CommitInput, commitOnBranch } from './commit-on-branch.ts';
import { type Context, createAct, requireAccess, threadWrite } from './context.ts';
import { graphqlFault } from './fault.ts';
import { threadMutations } from './thread-mutations.ts';
import { commentNode, reviewCommentNode } from './thread-nodes.ts';
import { type RefUpdateInput, updateRefs } from './update-refs.ts';

type Input<Fields> = { readonly input: Fields & { readonly clientMutationId?: string | null } };

export function mutations(context: Context): object {
  return {
    minimizeComment: ({ input }: Input<{ subjectId: string; classifier: string }>) => {
      return minimize(
        context,
        input.subjectId,
        input.classifier.toLowerCase().replace('_', '-'),
        input.clientMutationId,
      );
    },
    unminimizeComment: ({ input }: Input<{ subjectId: string }>) => {
      return minimize(context, input.subjectId, null, input.clientMutationId);
    },
    addReaction: async ({ input }: Input<{ subjectId: string; content: string }>) => {
      const found = findReactable(context, input.subjectId);
      requireAccess(context, found.repo, threadWrite, 'anyone');
      const act = createAct(context, found.repo);
      if (refuseReaction(act, found.target) !== null)
        throw graphqlFault('FORBIDDEN', 'Unable to create reaction because issue is locked.');
      const { reaction } = await addReaction(act, found.target, parseReaction(input.content));
      return { reaction: reactionNode(context.world, reaction), clientMutationId: input.clientMutationId };
    },
    updateRefs: async ({ input }: Input<{ repositoryId: string; refUpdates: readonly RefUpdateInput[] }>) => {
      const read = readNodeId(input.repositoryId);
      const repo = read?.prefix === 'R' ? context.world.state.repos[read.key] : undefined;
      if (repo === undefined) throw unknownNodeError(input.repositoryId);
      requireAccess(context, repo, ['contents:write'], 'write');
      await updateRefs(createAct(context, repo), input.refUpdates);
      return { clientMutationId: input.clientMutationId };
    },
    ...threadMutations(context),
    createCommitOnBranch: async ({ input }: Input<CommitInput>) => {
      const { repo, branch } = findBranch(context, input);
      requireAccess(context, repo, ['contents:write'], 'write');
      return {
        ...(await commitOnBranch(createAct(context, repo), branch, input)),
        clientMutationId: input.clientMutationId,
      };
    },
  };
}

/**
 * People with write access can hide comments (docs.github.com, repository roles: *Hide anyone's comments*), and so can
 * Apps with the permission and a comment's author. Hiding sends no webhook and is not an edit.
 */
function minimize(context: Context, id: string, reason: string | null, clientMutationId: unknown): object {
  const read = readNodeId(id);
  const { state } = context.world;
  const comment = read?.prefix === 'IC' ? state.comments[read.key] : undefined;
  const line = read?.prefix === 'PRRC' ? state.reviewComments[read.key] : undefined;
  const row = comment ?? line;
  if (row === undefined) throw unknownNodeError(id);
  const repo = repoById(context.world, row.repoId);
  const own = row.authorId === context.actor.id;
  requireAccess(context, repo, threadWrite, own ? 'anyone' : 'write');
  if (comment !== undefined) state.comments[comment.id] = { ...comment, minimizedReason: reason };
  if (line !== undefined) state.reviewComments[line.id] = { ...line, minimizedReason: reason };
  const node = minimizedNode(context, repo, row.id, comment !== undefined);
  return { minimizedComment: node, unminimizedComment: node, clientMutationId };
}

function minimizedNode(context: Context, repo: Repo, id: number, isComment: boolean): object {
  const { comments, reviewComments } = context.world.state;
  if (isComment) return commentNode(context, requireRow(comments[id], `comment ${id}`));
  const row = requireRow(reviewComments[id], `review comment ${id}`);
  const issue = requireRow(findIssue(context.world, repo, row.issueNumber), `issue ${row.issueNumber}`);
  return reviewCommentNode(context, repo, issue, row);
}

function findReactable(context: Context, id: string): { readonly repo: Repo; readonly target: Reactable } {
  const read = readNodeId(id);
  const { state } = context.world;
  const key = read?.key ?? '';
  const table = read?.prefix === 'IC' ? state.comments : read?.prefix === 'PRRC' ? state.reviewComments : state.issues;
  const row = table[key];
  if (row === undefined) throw unknownNodeError(id);
  const repo = repoById(context.world, row.repoId);
  const target = findReactableIn(context, read?.prefix ?? '', key, repo.id);
  if (target === null) throw unknownNodeError(id);
  return { repo, target };
}

function findReactableIn(context: Context, prefix: string, key: string, repoId: number): Reactable | null {
  const { state } = context.world;
  if (prefix === 'IC') return findInTable(state.comments, key, repoId);
  if (prefix === 'PRRC') return findInTable(state.reviewComments, key, repoId);
  return findInTable(state.issues, key, repoId);
}

function parseReaction(name: string): ReactionContent {
  const all: readonly ReactionContent[] = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];
  const found = all.find((content) => reactionNames[content] === name);
  if (found === undefined) throw graphqlFault('UNPROCESSABLE', `${name} is not a reaction`);
  return found;
}

function findBranch(context: Context, input: CommitInput): { readonly repo: Repo; readonly branch: string } {
  const { id, repositoryNameWithOwner, branchName } = input.branch;
  if (typeof id === 'string') {
    const read = readNodeId(id);
    const [repoId = '', ref = ''] = read?.prefix === 'REF' ? read.key.split(':') : [];
    const repo = context.world.state.repos[repoId];
    if (repo === undefined) throw unknownNodeError(id);
    return { repo, branch: ref.replace(/^refs\/heads\//, '') };
  }
  const [owner = '', name = ''] = (repositoryNameWithOwner ?? '').split('/');
  const repo = findRepo(context.world, owner, name);
  if (repo === null || typeof branchName !== 'string') {
    throw graphqlFault(
      'NOT_FOUND',
      `Could not resolve to a Repository with the name '${repositoryNameWithOwner ?? ''}'.`,
    );
  }
  return { repo, branch: branchName.replace(/^refs\/heads\//, '') };
}

function unknownNodeError(id: string): Error {
  return graphqlFault('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}
