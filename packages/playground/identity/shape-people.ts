/** Accounts, Apps and installations as the REST API writes them. */

import type { JsonObject } from '../world/json.ts';
import { appById, userById } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import { toIso, toIsoOrNull } from '../world/time.ts';
import type { World } from '../world/world.ts';
import type { App, Installation, Permissions, User } from './state-people.ts';

const nodePrefixByType = { User: 'U', Bot: 'BOT', Organization: 'O' } as const;

export function userNodeId(user: User): string {
  return nodeId(nodePrefixByType[user.type], user.id);
}

/** docs.github.com/rest/users: the "simple user" inside every other object. */
export function shapeUser(world: World, user: User): JsonObject {
  const api = `${world.baseUrl}/api/v3/users/${encodeURIComponent(user.login)}`;
  return {
    login: user.login,
    id: user.id,
    node_id: userNodeId(user),
    avatar_url: `${world.baseUrl}/_playground/avatars/${user.id}`,
    gravatar_id: '',
    url: api,
    html_url:
      user.type === 'Bot'
        ? `${world.baseUrl}/apps/${user.login.replace(/\[bot\]$/, '')}`
        : `${world.baseUrl}/${user.login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: user.type,
    site_admin: false,
  };
}

export function shapeUserById(world: World, id: number | null): JsonObject | null {
  return id === null ? null : shapeUser(world, userById(world, id));
}

/** docs.github.com/rest/users: get a user. */
export function shapePublicUser(world: World, user: User): JsonObject {
  return {
    ...shapeUser(world, user),
    name: user.name,
    company: null,
    blog: '',
    location: null,
    email: user.email,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: Object.values(world.state.repos).filter((repo) => repo.ownerId === user.id).length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: toIso(user.createdAtMs),
    updated_at: toIso(user.createdAtMs),
  };
}

export function clientIdOf(appId: number): string {
  return `Iv1.${appId.toString(16).padStart(16, '0')}`;
}

/** docs.github.com/rest/apps: get the authenticated app. */
export function shapeApp(world: World, app: App): JsonObject {
  return {
    id: app.id,
    client_id: clientIdOf(app.id),
    slug: app.slug,
    node_id: nodeId('A', app.id),
    owner: shapeUserById(world, app.ownerId),
    name: app.name,
    description: '',
    external_url: world.baseUrl,
    html_url: `${world.baseUrl}/apps/${app.slug}`,
    created_at: toIso(app.createdAtMs),
    updated_at: toIso(app.createdAtMs),
    permissions: { ...app.permissions },
    events: [...app.events],
  };
}

/** The body of `performed_via_github_app`, which has no client id. */
export function shapeAppById(world: World, id: number | null): JsonObject | null {
  if (id === null) return null;
  const { client_id: _clientId, ...rest } = shapeApp(world, appById(world, id));
  return rest;
}

export function shapePermissions(permissions: Permissions): JsonObject {
  return { metadata: 'read', ...permissions };
}

/** docs.github.com/rest/apps: an installation. */
export function shapeInstallation(world: World, row: Installation): JsonObject {
  const app = appById(world, row.appId);
  const account = userById(world, row.accountId);
  const api = `${world.baseUrl}/api/v3`;
  return {
    id: row.id,
    account: shapeUser(world, account),
    repository_selection: row.repoIds === null ? 'all' : 'selected',
    access_tokens_url: `${api}/app/installations/${row.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `${world.baseUrl}/settings/installations/${row.id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: shapePermissions(row.permissions),
    events: [...row.events],
    created_at: toIso(row.createdAtMs),
    updated_at: toIso(row.updatedAtMs ?? row.createdAtMs),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_at: toIsoOrNull(row.suspended?.atMs ?? null),
    suspended_by: shapeUserById(world, row.suspended?.byId ?? null),
  };
}
