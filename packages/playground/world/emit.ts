/** Emits a change on the bus with the common parts of every webhook payload. */

import { shapeRepo } from '../git/shape-repo.ts';
import { shapeUser } from '../identity/shape-people.ts';
import type { Caller, User } from '../identity/state-people.ts';
import { isWebhook, type WorldEventType } from './bus.ts';
import { publishWebhook } from './channels.ts';
import type { Json } from './json.ts';
import { actionsApp } from './lookup.ts';
import type { Repo } from './state.ts';
import type { World } from './world.ts';

export type Change = {
  readonly type: WorldEventType;
  readonly action: string | null;
  readonly repo: Repo;
  readonly sender: User;
  readonly byTokenKind: Caller['kind'];
  readonly runId?: number;
  readonly payload: Readonly<Record<string, Json>>;
};

const installation = { id: 0, node_id: '' };

/** Resolves when every listener has recorded what it must. */
export async function emitChange(world: World, change: Change): Promise<void> {
  const repo = world.state.repos[change.repo.id] ?? change.repo;
  const payload = {
    ...(change.action === null ? {} : { action: change.action }),
    ...change.payload,
    repository: shapeRepo(world, repo),
    sender: shapeUser(world, change.sender),
  };
  // Published as an App would get it. Internal events are not webhooks.
  if (isWebhook(change)) publishWebhook(change.type, change.action, () => ({ ...payload, installation }));
  await world.bus.emit({
    type: change.type,
    action: change.action,
    repoId: repo.id,
    senderId: change.sender.id,
    byTokenKind: change.byTokenKind,
    runId: change.runId ?? null,
    atMs: world.clock.now(),
    payload,
  });
}

/** The sender of changes that GitHub makes by itself (a run progresses). */
export function machineSender(world: World): User {
  const user = world.state.users[actionsApp.userId];
  if (user === undefined) throw new Error('the state has no github-actions[bot]; seed the world first');
  return user;
}
