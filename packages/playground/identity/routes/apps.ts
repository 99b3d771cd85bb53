/** Routes of Apps (docs.github.com/rest/apps): the App itself, its installations, and their tokens. */

import * as z from 'zod';
import { paged, pagedIn } from '../../api/paging.ts';
import { type Answer, created, failed, noContent, notFound, ok, unprocessable } from '../../api/reply.ts';
import { type Call, plain, type Route, withBody } from '../../api/route.ts';
import { shapeRepo } from '../../git/shape-repo.ts';
import { appById, covers, findUser, installationFor, must } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import { iso } from '../../world/time.ts';
import { suspendedWords } from '../identity.ts';
import { holds } from '../permissions.ts';
import { shapeApp, shapeInstallation, shapePermissions } from '../shape-people.ts';
import type { Installation, Permissions } from '../state-people.ts';
import { forgetExpiredTokens, mintInstallationToken, revokeToken } from '../tokens.ts';

const wish = z.object({
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.int()).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
});

export const appRoutes: readonly Route[] = [
  plain('GET', '/app', 'app', (call) => {
    const app = appById(call.world, appIdOf(call));
    const installations = installationsOf(call).length;
    return ok({ ...shapeApp(call.world, app), installations_count: installations });
  }),
  plain('GET', '/app/installations', 'app', (call) => {
    return paged(call, installationsOf(call), (one) => shapeInstallation(call.world, one));
  }),
  plain('GET', '/app/installations/:id', 'app', (call) => {
    const row = installationOf(call);
    return row === null ? notFound() : ok(shapeInstallation(call.world, row));
  }),
  plain('POST', '/app/installations/:id/access_tokens', 'app', (call) => {
    return withBody(call.body, wish, (body) => mint(call, body));
  }),
  plain('GET', '/repos/:owner/:repo/installation', 'app', (call) => {
    const repo = Object.values(call.world.state.repos).find((one) => isNamed(one, call.params));
    const row = repo === undefined ? null : installationFor(call.world, appIdOf(call), repo);
    return row === null ? notFound() : ok(shapeInstallation(call.world, row));
  }),
  plain('GET', '/users/:login/installation', 'app', ownerInstallation),
  plain('GET', '/orgs/:login/installation', 'app', ownerInstallation),
  plain('GET', '/installation/repositories', 'installation', (call) => {
    const rows = Object.values(call.world.state.repos).filter((repo) => reachable(call, repo));
    return pagedIn(call, 'repositories', rows, (repo) => shapeRepo(call.world, repo));
  }),
  plain('DELETE', '/installation/token', 'installation', (call) => {
    if (call.token !== null) revokeToken(call.world, call.token);
    return noContent();
  }),
];

function mint(call: Call, body: z.infer<typeof wish>): Answer {
  const row = installationOf(call);
  if (row === null) return notFound();
  if (row.suspended !== undefined) return failed(403, suspendedWords);
  const narrowed = narrowPermissions(row, body.permissions);
  if (narrowed === null) {
    return unprocessable('The permissions requested are not granted to this installation.');
  }
  const repos = narrowRepos(call, row, body);
  if (repos === 'out-of-reach') {
    return unprocessable(
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  forgetExpiredTokens(call.world);
  const { token, expiresAtMs } = mintInstallationToken(call.world, row, narrowed, repos);
  return created({
    token,
    expires_at: iso(expiresAtMs),
    permissions: shapePermissions(narrowed),
    repository_selection: repos === null ? 'all' : 'selected',
    ...(repos === null
      ? {}
      : {
          repositories: repos.map((id) => shapeRepo(call.world, must(call.world.state.repos[id], `repository ${id}`))),
        }),
  });
}

/** A token may have fewer permissions than the installation, never more. */
function narrowPermissions(row: Installation, wanted: Permissions | undefined): Permissions | null {
  if (wanted === undefined) return row.permissions;
  const all = Object.entries(wanted).every(([name, level]) => holds(row.permissions, `${name}:${level}`));
  return all ? wanted : null;
}

/** Repository ids of the token; null = all of the installation's. */
function narrowRepos(
  call: Call,
  row: Installation,
  body: z.infer<typeof wish>,
): readonly number[] | null | 'out-of-reach' {
  if (body.repositories === undefined && body.repository_ids === undefined) return row.repoIds;
  const known = Object.values(call.world.state.repos).filter((repo) => covers(row, repo));
  const ids: number[] = [];
  for (const name of body.repositories ?? []) {
    const repo = known.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (repo === undefined) return 'out-of-reach';
    ids.push(repo.id);
  }
  for (const id of body.repository_ids ?? []) {
    if (!known.some((one) => one.id === id)) return 'out-of-reach';
    ids.push(id);
  }
  return ids;
}

function ownerInstallation(call: Call): Answer {
  const owner = findUser(call.world, call.params['login'] ?? '');
  const row = installationsOf(call).find((one) => one.accountId === owner?.id);
  return row === undefined ? notFound() : ok(shapeInstallation(call.world, row));
}

function installationsOf(call: Call): readonly Installation[] {
  const appId = appIdOf(call);
  return Object.values(call.world.state.installations).filter((one) => one.appId === appId);
}

/** The App's own installation with the id in `:id`. */
export function installationOf(call: Call): Installation | null {
  return installationsOf(call).find((one) => `${one.id}` === call.params['id']) ?? null;
}

function reachable(call: Call, repo: Repo): boolean {
  if (call.caller.kind === 'workflow') return call.caller.repoId === repo.id;
  if (call.caller.kind !== 'installation') return false;
  const row = call.world.state.installations[call.caller.installationId];
  const { repoIds } = call.caller;
  return row !== undefined && covers(row, repo) && (repoIds === null || repoIds.includes(repo.id));
}

/** The calling App, on a route that admits only Apps. */
export function appIdOf(call: Call): number {
  if (call.caller.kind !== 'app') throw new Error('a route for Apps was reached by somebody else');
  return call.caller.appId;
}

function isNamed(repo: Repo, params: Call['params']): boolean {
  return `${repo.owner}/${repo.name}`.toLowerCase() === `${params['owner']}/${params['repo']}`.toLowerCase();
}
