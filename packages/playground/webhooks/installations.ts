/**
 * Changes of an installation, and their webhooks (docs.github.com/webhooks: installation, installation_repositories).
 * Every App gets them, subscribed or not, even while it is suspended.
 */

import { shapeInstallation, shapeUser } from '../identity/shape-people.ts';
import type { Installation, Permissions } from '../identity/state-people.ts';
import type { Json, JsonObject } from '../world/json.ts';
import { appById, coversRepo, requireRow, userById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { Repo } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { signOutgoing } from './outgoing.ts';
import { sendAppWebhook } from './webhooks.ts';

/** Suspends an installation: until it is lifted, the App cannot access the account and gets none of its events. */
export function suspend(world: World, id: number, byId: number): void {
  const row = requireInstallation(world, id);
  if (row.suspended !== undefined) return;
  const atMs = world.clock.now();
  announceChange(world, storeInstallation(world, { ...row, suspended: { atMs, byId } }), 'suspend', byId, {});
}

export function unsuspend(world: World, id: number, byId: number): void {
  const { suspended, ...row } = requireInstallation(world, id);
  if (suspended === undefined) return;
  announceChange(world, storeInstallation(world, row), 'unsuspend', byId, {});
}

/** The App's owner requests other permissions. They do not apply to an installation until its account accepts them. */
export function requestPermissions(
  world: World,
  appId: number,
  permissions: Permissions,
  events?: readonly string[],
): void {
  const app = appById(world, appId);
  world.state.apps[appId] = { ...app, permissions, events: events ?? app.events };
}

/** The account's owner accepts the requested permissions. Existing tokens keep theirs. */
export function acceptPermissions(
  world: World,
  id: number,
  byId: number,
  permissions: Permissions,
  events?: readonly string[],
): void {
  const row = requireInstallation(world, id);
  const app = appById(world, row.appId);
  const granted = { permissions, events: events ?? row.events };
  world.state.apps[app.id] = { ...app, ...granted };
  announceChange(world, storeInstallation(world, { ...row, ...granted }), 'new_permissions_accepted', byId, {});
}

/** Changes the repositories; null = all of the account's. */
export function chooseRepositories(world: World, id: number, byId: number, repoIds: readonly number[] | null): void {
  const before = requireInstallation(world, id);
  const after = storeInstallation(world, { ...before, repoIds });
  const covered = (row: Installation): readonly Repo[] =>
    Object.values(world.state.repos).filter((repo) => coversRepo(row, repo));
  const [had, has] = [covered(before), covered(after)];
  const added = has.filter(({ id: one }) => !had.some((repo) => repo.id === one));
  const removed = had.filter(({ id: one }) => !has.some((repo) => repo.id === one));
  for (const action of ['added', 'removed'] as const) {
    if ((action === 'added' ? added : removed).length === 0) continue;
    sendInstallationEvent(world, after, 'installation_repositories', action, byId, {
      repository_selection: repoIds === null ? 'all' : 'selected',
      repositories_added: action === 'added' ? added.map(shapeName) : [],
      repositories_removed: action === 'removed' ? removed.map(shapeName) : [],
      requester: null,
    });
  }
}

/** Removes the App and revokes its tokens. */
export function uninstall(world: World, id: number, byId: number): void {
  const row = requireInstallation(world, id);
  const { [id]: _gone, ...others } = world.state.installations;
  replaceAll(world.state.installations, others);
  const living = Object.entries(world.state.tokens).filter(
    ([, token]) => token.kind !== 'installation' || token.installationId !== id,
  );
  replaceAll(world.state.tokens, Object.fromEntries(living));
  announceChange(world, row, 'deleted', byId, {});
}

/** Installs the App again, with a new installation id. */
export function install(world: World, row: Omit<Installation, 'createdAtMs'>, byId: number): void {
  const made = storeInstallation(world, { ...row, createdAtMs: world.clock.now() });
  announceChange(world, made, 'created', byId, { requester: null });
}

function announceChange(
  world: World,
  row: Installation,
  action: string,
  byId: number,
  extra: Readonly<Record<string, Json>>,
): void {
  const repositories = Object.values(world.state.repos).filter((repo) => coversRepo(row, repo));
  sendInstallationEvent(world, row, 'installation', action, byId, {
    repositories: repositories.map(shapeName),
    ...extra,
  });
}

function sendInstallationEvent(
  world: World,
  row: Installation,
  event: string,
  action: string,
  byId: number,
  rest: Readonly<Record<string, Json>>,
): void {
  const app = appById(world, row.appId);
  if (app.webhook === null) return;
  const payload = {
    action,
    installation: shapeInstallation(world, row),
    ...rest,
    sender: shapeUser(world, userById(world, byId)),
  };
  const about = { event, action, repoId: null, installationId: row.id };
  sendAppWebhook(world, signOutgoing(world, app, app.webhook, about, payload));
}

function shapeName(repo: Repo): JsonObject {
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: `${repo.owner}/${repo.name}`,
    private: repo.private,
  };
}

function requireInstallation(world: World, id: number): Installation {
  return requireRow(world.state.installations[id], `installation ${id}`);
}

function storeInstallation(world: World, row: Installation): Installation {
  const kept = { ...row, updatedAtMs: world.clock.now() };
  world.state.installations[row.id] = kept;
  return kept;
}

function replaceAll<Row>(table: Record<string, Row>, rows: Readonly<Record<string, Row>>): void {
  for (const key of Object.keys(table)) if (!(key in rows)) delete table[key];
}
