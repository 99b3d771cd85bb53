/** GraphQL nodes of accounts, and common fields of authored texts: edits, reactions, times. */

import { userNodeId } from '../identity/shape-people.ts';
import type { User } from '../identity/state-people.ts';
import { authorAssociation } from '../threads/shape-issue.ts';
import type { Authored, Reaction, ReactionContent } from '../threads/state-threads.ts';
import { userById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { buildConnection, type PageArgs } from './connection.ts';
import type { Context } from './context.ts';
import { type OwnedArgs, ownedRepositories } from './owned-repositories.ts';

export const reactionNames = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  hooray: 'HOORAY',
  confused: 'CONFUSED',
  heart: 'HEART',
  rocket: 'ROCKET',
  eyes: 'EYES',
} as const satisfies Record<ReactionContent, string>;

export type ActorNode = {
  readonly __typename: User['type'];
  readonly id: string;
  readonly databaseId: number;
  readonly login: string;
  readonly name: string | null;
  readonly email: string;
  readonly url: string;
  readonly avatarUrl: string;
  /** Takes the context as an argument, because an account node is often built without a caller. */
  readonly repositories: (args: OwnedArgs, context: Context) => object;
};

/** An account. GraphQL calls a bot by its App's slug, without the `[bot]` that REST has. */
export function actorNode(world: World, userId: number | null): ActorNode | null {
  if (userId === null) return null;
  const user = userById(world, userId);
  return {
    __typename: user.type,
    id: userNodeId(user),
    databaseId: user.id,
    login: user.type === 'Bot' ? user.login.replace(/\[bot\]$/, '') : user.login,
    name: user.name,
    email: user.email ?? '',
    url: `${world.baseUrl}/${user.login}`,
    avatarUrl: `${world.baseUrl}/_playground/avatars/${user.id}`,
    repositories: (args, context) => ownedRepositories(context, user.id, args),
  };
}

/** The fields of the interface `Comment`. */
export function authoredFields(context: Context, repo: Repo, row: Authored): object {
  const { world, actor } = context;
  const lastEdit = row.edits.at(-1) ?? null;
  return {
    databaseId: row.id,
    fullDatabaseId: `${row.id}`,
    body: row.body,
    bodyText: row.body,
    author: actorNode(world, row.authorId),
    authorAssociation: authorAssociation(repo, row.authorId),
    createdAt: toIso(row.createdAtMs),
    updatedAt: toIso(row.updatedAtMs),
    lastEditedAt: lastEdit === null ? null : toIso(lastEdit.atMs),
    editor: lastEdit === null ? null : actorNode(world, lastEdit.editorId),
    includesCreatedEdit: row.edits.length > 0,
    viewerDidAuthor: row.authorId === actor.id,
    // Newest first, the original last, as on GitHub.
    userContentEdits: (args: PageArgs) =>
      buildConnection(row.edits.toReversed(), args, (edit) => ({
        id: nodeId('UCE', edit.id),
        createdAt: toIso(edit.atMs),
        editedAt: toIso(edit.atMs),
        updatedAt: toIso(edit.atMs),
        editor: actorNode(world, edit.editorId),
        diff: edit.body,
        deletedAt: null,
      })),
    reactionGroups: () => reactionGroups(context, row.reactions),
  };
}

/** An account for a field of type User: null for a bot. */
function personNode(world: World, userId: number): ActorNode | null {
  const node = actorNode(world, userId);
  return node?.__typename === 'User' ? node : null;
}

export function reactionNode(world: World, reaction: Reaction): object {
  return {
    id: nodeId('REA', reaction.id),
    databaseId: reaction.id,
    content: reactionNames[reaction.content],
    createdAt: toIso(reaction.createdAtMs),
    user: personNode(world, reaction.userId),
  };
}

/** All eight groups, including empty ones, as on GitHub. */
function reactionGroups(context: Context, reactions: readonly Reaction[]) {
  return Object.entries(reactionNames).map(([content, name]) => {
    const found = reactions.filter((one) => one.content === content);
    const first = found[0];
    const reactors = () => ({
      totalCount: found.length,
      nodes: found.map((one) => actorNode(context.world, one.userId)),
    });
    return {
      content: name,
      createdAt: first === undefined ? null : toIso(first.createdAtMs),
      viewerHasReacted: found.some((one) => one.userId === context.actor.id),
      reactors,
      users: () => ({
        totalCount: found.length,
        nodes: found.flatMap((one) => personNode(context.world, one.userId) ?? []),
      }),
    };
  });
}
