/**
 * Permissions of every route (docs.github.com/rest/authentication/permissions-required-for-github-apps and
 * docs.github.com/organizations/managing-user-access…/repository-roles-for-an-organization).
 */

import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../api/all-routes.ts';
import type { Route } from '../../api/route.ts';
import type { Permissions, Role } from '../../identity/state-people.ts';
import { mintInstallationToken, mintUserToken } from '../../identity/tokens.ts';
import { appJwt, createTown, type Town } from '../world/town.ts';

type RepoRoute = Exclude<Route, { readonly scope: 'plain' }>;
const plainRoutes = allRoutes.filter((route) => route.scope === 'plain');
const routes = allRoutes.filter((route): route is RepoRoute => route.scope !== 'plain');
const roles: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];

/** The status of a request that names nothing that exists: 401 and 403 come before 404 and 422. */
async function statusOf(town: Town, route: Route, token: string | null): Promise<number> {
  const path = route.pattern
    .replace(':owner', 'lab')
    .replace(':repo', 'ferries')
    .replaceAll(/:[a-z]+\*?/gi, '999999');
  const response = await town.world.fetch(
    new Request(`http://github.test/api/v3${path}`, {
      method: route.method,
      ...(token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
      ...(route.method === 'GET' ? {} : { body: '{}' }),
    }),
  );
  return response.status;
}

function makePrivate(town: Town, person: Role | null): string {
  const repo = Object.values(town.world.state.repos)[0];
  const ada = Object.values(town.world.state.users).find(({ login }) => login === 'ada');
  if (repo === undefined || ada === undefined) throw new Error('no town');
  const { [ada.id]: _before, ...others } = repo.collaborators;
  const collaborators = person === null ? others : { ...others, [ada.id]: person };
  town.world.state.repos[repo.id] = { ...repo, private: true, collaborators };
  return mintUserToken(town.world, ada.id);
}

function installationToken(town: Town, permissions: Permissions): string {
  const row = Object.values(town.world.state.installations)[0];
  if (row === undefined) throw new Error('no installation');
  return mintInstallationToken(town.world, row, permissions, null).token;
}

const isRefused = (status: number): boolean => status === 401 || status === 403;

describe('a private repository', () => {
  it('is 404 for people without a role and for guests on every route', async () => {
    const town = createTown();
    const stranger = makePrivate(town, null);
    for (const route of routes) {
      // A guest may send sixty requests per hour.
      town.advance(60 * 60 * 1000);
      expect([route.pattern, await statusOf(town, route, stranger)]).toEqual([route.pattern, 404]);
      expect([route.pattern, await statusOf(town, route, null)]).toEqual([route.pattern, 404]);
    }
  });

  it.each(roles)('allows a person with the role %s exactly the routes of that role', async (role) => {
    const town = createTown();
    const token = makePrivate(town, role);
    for (const route of routes) {
      const needed = route.access.role;
      const may = needed === 'public' || needed === 'anyone' || roles.indexOf(role) >= roles.indexOf(needed);
      const status = await statusOf(town, route, token);
      // A route for Apps only refuses even an administrator, with a message.
      if (may && !(needed === 'admin' && status === 403))
        expect([route.method, route.pattern, isRefused(status)]).toEqual([route.method, route.pattern, false]);
      if (!may) expect([route.method, route.pattern, status]).toEqual([route.method, route.pattern, 403]);
    }
  });
});

describe('an App', () => {
  it('gets 403 on every route for which it lacks the permission', async () => {
    const town = createTown();
    makePrivate(town, null);
    const nothing = installationToken(town, {});
    for (const route of routes) {
      if (route.access.permissions.includes('metadata:read')) continue;
      expect([route.method, route.pattern, await statusOf(town, route, nothing)]).toEqual([
        route.method,
        route.pattern,
        403,
      ]);
    }
  });

  it('is admitted with the route’s permission, but not with a lower level', async () => {
    const town = createTown();
    makePrivate(town, null);
    for (const route of routes) {
      // An App has nine hundred points per minute, and a write costs five.
      town.advance(60 * 1000);
      for (const need of route.access.permissions) {
        const [name = '', level = 'read'] = need.split(':');
        const enough = installationToken(town, { [name]: level === 'write' ? 'write' : 'read' });
        expect([need, route.pattern, isRefused(await statusOf(town, route, enough))]).toEqual([
          need,
          route.pattern,
          false,
        ]);
        if (level !== 'write' || route.access.permissions.length > 1) continue;
        const below = installationToken(town, { [name]: 'read' });
        expect([need, route.pattern, await statusOf(town, route, below)]).toEqual([need, route.pattern, 403]);
      }
    }
  });
});

describe('a route outside repositories', () => {
  const everybody = (town: Town): Readonly<Record<string, string | null>> => ({
    guest: null,
    person: town.seeded.tokens.ada,
    installation: installationToken(town, {}),
    app: appJwt(town),
  });
  const welcome = {
    public: ['guest', 'person', 'installation', 'app'],
    app: ['app'],
    installation: ['installation'],
    'signed-in': ['person', 'installation'],
  } as const;

  it('admits exactly the kinds of token that GitHub names', async () => {
    const town = createTown();
    for (const route of plainRoutes) {
      town.advance(60 * 60 * 1000);
      for (const [kind, token] of Object.entries(everybody(town))) {
        const isWelcome = welcome[route.access].some((one) => one === kind);
        const status = await statusOf(town, route, token);
        if (!isWelcome) expect([route.pattern, kind, isRefused(status)]).toEqual([route.pattern, kind, true]);
        // A caller who passes the permission check may still be refused by the route itself.
        else expect([route.pattern, kind, status === 401]).toEqual([route.pattern, kind, false]);
      }
    }
  });
});
