/** The root fields of the GraphQL API. */

import { currentRate } from '../limits/rate.ts';
import { asPull, findIssue, findRepo, findUser, repoById } from '../world/lookup.ts';
import { readNodeId } from '../world/node-id.ts';
import { toIso } from '../world/time.ts';
import { actorNode } from './authored-nodes.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import { type Context, notResolvedError, requireAccess, threadRead, type Viewer } from './context.ts';
import { editMutations } from './edit-mutations.ts';
import { graphqlFault } from './fault.ts';
import { objectNode, refNode } from './git-nodes.ts';
import { mutations } from './mutations.ts';
import { pinMutations } from './pin-mutations.ts';
import { objectWithChecks, repositoryNode } from './repository-node.ts';
import { search } from './search-root.ts';
import { commentNode, reviewCommentNode, reviewNode, threadNode } from './thread-nodes.ts';

export function createContext(viewer: Viewer): Context {
  const context: Context = { ...viewer, repositoryNode: (repo) => repositoryNode(context, repo) };
  return context;
}

export function createRoot(context: Context): object {
  return {
    // A viewer is always a User, even an App's bot, whose login keeps REST's `[bot]` here.
    viewer: () => ({ ...actorNode(context.world, context.actor.id), login: context.actor.login }),
    rateLimit: () => rateLimit(context),
    repository: ({ owner, name }: { readonly owner: string; readonly name: string }) => {
      const repo = findRepo(context.world, owner, name);
      if (repo === null) throw notResolvedError({ owner, name });
      requireAccess(context, repo, ['metadata:read'], 'public');
      return repositoryNode(context, repo);
    },
    user: ({ login }: { readonly login: string }) => {
      const user = findUser(context.world, login);
      if (user?.type === 'User') return actorNode(context.world, user.id);
      throw graphqlFault('NOT_FOUND', `Could not resolve to a User with the login of '${login}'.`);
    },
    organization: ({ login }: { readonly login: string }) => {
      const owner = findUser(context.world, login);
      if (owner?.type !== 'Organization')
        throw graphqlFault('NOT_FOUND', `Could not resolve to an Organization with the login of '${login}'.`);
      // The playground has no teams.
      return {
        ...actorNode(context.world, owner.id),
        teams: (args: PageArgs) => buildConnection([], args, () => null),
      };
    },
    repositoryOwner: ({ login }: { readonly login: string }) => {
      const owner = findUser(context.world, login);
      return owner === null || owner.type === 'Bot' ? null : actorNode(context.world, owner.id);
    },
    search: (args: Parameters<typeof search>[1]) => search(context, args),
    node: ({ id }: { readonly id: string }) => nodeById(context, id),
    nodes: ({ ids }: { readonly ids: readonly string[] }) => ids.map((id) => nodeById(context, id)),
    ...mutations(context),
    ...editMutations(context),
    ...pinMutations(context),
  };
}

function rateLimit(context: Context): object {
  const rate = currentRate(context.world, context.caller, 'graphql');
  const remaining = Math.max(0, rate.limit - rate.used);
  return { cost: 1, limit: rate.limit, remaining, used: rate.used, resetAt: toIso(rate.resetAtMs) };
}

/** Any node by its global id; ids that the playground never issued are NOT_FOUND. */
export async function nodeById(context: Context, id: string): Promise<object | null> {
  const found = await findNode(context, id);
  if (found === null) throw graphqlFault('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  return found;
}

async function findNode(context: Context, id: string): Promise<object | null> {
  const read = readNodeId(id);
  if (read === null) return null;
  const { world } = context;
  const { prefix, key } = read;
  const [first = '', ...rest] = key.split(':');
  switch (prefix) {
    case 'U':
    case 'BOT':
    case 'O':
      return world.state.users[key] === undefined ? null : actorNode(world, Number(key));
    case 'R':
      return findRepository(context, key);
    case 'I':
    case 'PR': {
      const issue = world.state.issues[key];
      if (issue === undefined) return null;
      const repo = repoById(world, issue.repoId);
      requireAccess(context, repo, threadRead, 'public');
      return threadNode(context, repo, issue);
    }
    case 'IC':
    case 'PRR':
    case 'PRRC':
      return textById(context, prefix, key);
    case 'C':
      return findInRepo(context, first, (repo) => objectWithChecks(context, repo, rest.join(':')));
    case 'T':
    case 'B':
      return findInRepo(context, first, (repo) => objectNode(world, repo, rest.join(':')));
    case 'REF':
      return findInRepo(context, first, (repo) => refNode(world, repo, rest.join(':')));
    default:
      return null;
  }
}

function textById(context: Context, prefix: 'IC' | 'PRR' | 'PRRC', key: string): object | null {
  const { state } = context.world;
  const row = { IC: state.comments, PRR: state.reviews, PRRC: state.reviewComments }[prefix][key];
  if (row === undefined) return null;
  const repo = repoById(context.world, row.repoId);
  requireAccess(context, repo, threadRead, 'public');
  const issue = findIssue(context.world, repo, row.issueNumber);
  const pull = issue === null ? null : asPull(issue);
  const comment = state.comments[key];
  if (prefix === 'IC') return comment === undefined ? null : commentNode(context, comment);
  if (pull === null) return null;
  const review = state.reviews[key];
  if (prefix === 'PRR') return review === undefined ? null : reviewNode(context, repo, pull, review);
  const line = state.reviewComments[key];
  return line === undefined ? null : reviewCommentNode(context, repo, pull, line);
}

function findRepository(context: Context, key: string): object | null {
  const repo = context.world.state.repos[key];
  if (repo === undefined) return null;
  requireAccess(context, repo, ['metadata:read'], 'public');
  return repositoryNode(context, repo);
}

async function findInRepo(
  context: Context,
  key: string,
  find: (repo: ReturnType<typeof repoById>) => Promise<object | null>,
): Promise<object | null> {
  const repo = context.world.state.repos[key];
  if (repo === undefined) return null;
  requireAccess(context, repo, ['contents:read'], 'public');
  return find(repo);
}
