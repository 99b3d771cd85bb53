/** GraphQL mutations: hide comments, react, move refs by compare-and-set, commit on a branch. */

import { addReaction, inTable, type Reactable, reactionRefusal } from '../threads/routes/reactions.ts';
import type { ReactionContent } from '../threads/state-threads.ts';
import { findIssue, findRepo, must, repoById } from '../world/lookup.ts';
import { readNodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { reactionNames, reactionNode } from './authored-nodes.ts';
import { type CommitInput, commitOnBranch } from './commit-on-branch.ts';
import { actIn, type Context, demand, threadWrite } from './context.ts';
import { fault } from './fault.ts';
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
      const found = reactable(context, input.subjectId);
      demand(context, found.repo, threadWrite, 'anyone');
      const act = actIn(context, found.repo);
      if (reactionRefusal(act, found.target) !== null)
        throw fault('FORBIDDEN', 'Unable to create reaction because issue is locked.');
      const { reaction } = await addReaction(act, found.target, contentOf(input.content));
      return { reaction: reactionNode(context.world, reaction), clientMutationId: input.clientMutationId };
    },
    updateRefs: async ({ input }: Input<{ repositoryId: string; refUpdates: readonly RefUpdateInput[] }>) => {
      const read = readNodeId(input.repositoryId);
      const repo = read?.prefix === 'R' ? context.world.state.repos[read.key] : undefined;
      if (repo === undefined) throw unknownNode(input.repositoryId);
      demand(context, repo, ['contents:write'], 'write');
      await updateRefs(actIn(context, repo), input.refUpdates);
      return { clientMutationId: input.clientMutationId };
    },
    ...threadMutations(context),
    createCommitOnBranch: async ({ input }: Input<CommitInput>) => {
      const { repo, branch } = branchOf(context, input);
      demand(context, repo, ['contents:write'], 'write');
      return {
        ...(await commitOnBranch(actIn(context, repo), branch, input)),
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
  if (row === undefined) throw unknownNode(id);
  const repo = repoById(context.world, row.repoId);
  const own = row.authorId === context.actor.id;
  demand(context, repo, threadWrite, own ? 'anyone' : 'write');
  if (comment !== undefined) state.comments[comment.id] = { ...comment, minimizedReason: reason };
  if (line !== undefined) state.reviewComments[line.id] = { ...line, minimizedReason: reason };
  const node = minimizedNode(context, repo, row.id, comment !== undefined);
  return { minimizedComment: node, unminimizedComment: node, clientMutationId };
}

function minimizedNode(context: Context, repo: Repo, id: number, isComment: boolean): object {
  const { comments, reviewComments } = context.world.state;
  if (isComment) return commentNode(context, must(comments[id], `comment ${id}`));
  const row = must(reviewComments[id], `review comment ${id}`);
  const issue = must(findIssue(context.world, repo, row.issueNumber), `issue ${row.issueNumber}`);
  return reviewCommentNode(context, repo, issue, row);
}

function reactable(context: Context, id: string): { readonly repo: Repo; readonly target: Reactable } {
  const read = readNodeId(id);
  const { state } = context.world;
  const key = read?.key ?? '';
  const table = read?.prefix === 'IC' ? state.comments : read?.prefix === 'PRRC' ? state.reviewComments : state.issues;
  const row = table[key];
  if (row === undefined) throw unknownNode(id);
  const repo = repoById(context.world, row.repoId);
  const target = reactableIn(context, read?.prefix ?? '', key, repo.id);
  if (target === null) throw unknownNode(id);
  return { repo, target };
}

function reactableIn(context: Context, prefix: string, key: string, repoId: number): Reactable | null {
  const { state } = context.world;
  if (prefix === 'IC') return inTable(state.comments, key, repoId);
  if (prefix === 'PRRC') return inTable(state.reviewComments, key, repoId);
  return inTable(state.issues, key, repoId);
}

function contentOf(name: string): ReactionContent {
  const all: readonly ReactionContent[] = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];
  const found = all.find((content) => reactionNames[content] === name);
  if (found === undefined) throw fault('UNPROCESSABLE', `${name} is not a reaction`);
  return found;
}

function branchOf(context: Context, input: CommitInput): { readonly repo: Repo; readonly branch: string } {
  const { id, repositoryNameWithOwner, branchName } = input.branch;
  if (typeof id === 'string') {
    const read = readNodeId(id);
    const [repoId = '', ref = ''] = read?.prefix === 'REF' ? read.key.split(':') : [];
    const repo = context.world.state.repos[repoId];
    if (repo === undefined) throw unknownNode(id);
    return { repo, branch: ref.replace(/^refs\/heads\//, '') };
  }
  const [owner = '', name = ''] = (repositoryNameWithOwner ?? '').split('/');
  const repo = findRepo(context.world, owner, name);
  if (repo === null || typeof branchName !== 'string') {
    throw fault('NOT_FOUND', `Could not resolve to a Repository with the name '${repositoryNameWithOwner ?? ''}'.`);
  }
  return { repo, branch: branchName.replace(/^refs\/heads\//, '') };
}

function unknownNode(id: string): Error {
  return fault('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}
