/** Routes of forks (docs.github.com/rest/repos/forks): everyone who can read a repository can fork it. */

import { type Answer, unprocessableAnswer } from '../../api/reply.ts';
import { type ActorCall, actRoute, type Route, repoAccess } from '../../api/route.ts';
import { findRepo } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import { nextId } from '../../world/world.ts';
import { shapeFullRepo } from '../shape-repo.ts';

export const forkRoutes: readonly Route[] = [
  actRoute('POST', '/forks', repoAccess('administration:write', 'anyone'), createFork),
];

/**
 * 202: GitHub copies in the background; here the copy is immediate. A second fork by the same account returns the first
 * one.
 */
async function createFork(call: ActorCall): Promise<Answer> {
  const { world, repo: parent, actor } = call;
  if (actor.type === 'Bot' || actor.id === parent.ownerId)
    return unprocessableAnswer('This account cannot fork the repository.');
  const known = findRepo(world, actor.login, parent.name);
  const fork = known ?? (await makeFork(call));
  return { status: 202, body: shapeFullRepo(world, fork, 'admin'), headers: {} };
}

async function makeFork({ world, repo: parent, actor }: ActorCall): Promise<Repo> {
  const now = world.clock.now();
  const fork: Repo = {
    ...parent,
    id: 5000 + nextId(world, 'repos'),
    ownerId: actor.id,
    owner: actor.login,
    forkOfId: parent.id,
    createdAtMs: now,
    pushedAtMs: parent.pushedAtMs,
    // A fork copies nothing that grants permissions: no people, secrets, environments or rules.
    collaborators: {},
    secrets: {},
    variables: {},
    environments: [],
    protections: [],
    lastNumber: 0,
  };
  world.state.repos[fork.id] = fork;
  const store = world.gitOf(fork);
  for (const prefix of ['refs/heads/', 'refs/tags/']) {
    for (const [ref, sha] of await world.gitOf(parent).refs(prefix))
      await store.updateRef({ ref, sha, expected: null });
  }
  return fork;
}
