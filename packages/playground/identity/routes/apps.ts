/** Routes of Apps (docs.github.com/rest/apps): the App itself, its installations, and their tokens. */

import * as z from 'zod';
import { answerPage, answerPageIn } from '../../api/paging.ts';
import {
  type Answer,
  createdAnswer,
  failedAnswer,
  noContentAnswer,
  notFoundAnswer,
  okAnswer,
  unprocessableAnswer,
} from '../../api/reply.ts';
import { type Call, parseBodyAnd, plainRoute, type Route } from '../../api/route.ts';
import { shapeRepo } from '../../git/shape-repo.ts';
import { appById, coversRepo, findUser, installationFor, requireRow } from '../../world/lookup.ts';
import type { Repo } from '../../world/state.ts';
import { toIso } from '../../world/time.ts';
import { describeSuspension } from '../identity.ts';
import { convertManifest } from '../manifests.ts';
import { hasPermissionNeed } from '../permissions.ts';
import { shapeApp, shapeInstallation, shapePermissions } from '../shape-people.ts';
import type { Installation, Permissions } from '../state-people.ts';
import { mintInstallationToken, removeExpiredTokens, revokeToken } from '../tokens.ts';

const wish = z.object({
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.int()).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
});

export const appRoutes: readonly Route[] = [
  plainRoute('GET', '/app', 'app', (call) => {
    const app = appById(call.world, callerAppId(call));
    const installations = listInstallations(call).length;
    return okAnswer({ ...shapeApp(call.world, app), installations_count: installations });
  }),
  plainRoute('POST', '/app-manifests/:code/conversions', 'public', (call) =>
    convertManifest(call.world, call.params['code'] ?? ''),
  ),
  plainRoute('GET', '/app/installations', 'app', (call) => {
    return answerPage(call, listInstallations(call), (one) => shapeInstallation(call.world, one));
  }),
  plainRoute('GET', '/app/installations/:id', 'app', (call) => {
    const row = findInstallation(call);
    return row === null ? notFoundAnswer() : okAnswer(shapeInstallation(call.world, row));
  }),
  plainRoute('POST', '/app/installations/:id/access_tokens', 'app', (call) => {
    return parseBodyAnd(call.body, wish, (body) => mintToken(call, body));
  }),
  plainRoute('GET', '/repos/:owner/:repo/installation', 'app', (call) => {
    const repo = Object.values(call.world.state.repos).find((one) => hasRepoName(one, call.params));
    const row = repo === undefined ? null : installationFor(call.world, callerAppId(call), repo);
    return row === null ? notFoundAnswer() : okAnswer(shapeInstallation(call.world, row));
  }),
  plainRoute('GET', '/users/:login/installation', 'app', ownerInstallation),
  plainRoute('GET', '/orgs/:login/installation', 'app', ownerInstallation),
  plainRoute('GET', '/installation/repositories', 'installation', (call) => {
    const rows = Object.values(call.world.state.repos).filter((repo) => canReach(call, repo));
    return answerPageIn(call, 'repositories', rows, (repo) => shapeRepo(call.world, repo));
  }),
  plainRoute('DELETE', '/installation/token', 'installation', (call) => {
    if (call.token !== null) revokeToken(call.world, call.token);
    return noContentAnswer();
  }),
];

function mintToken(call: Call, body: z.infer<typeof wish>): Answer {
  const row = findInstallation(call);
  if (row === null) return notFoundAnswer();
  if (row.suspended !== undefined) return failedAnswer(403, describeSuspension);
  const narrowed = narrowPermissions(row, body.permissions);
  if (narrowed === null) {
    return unprocessableAnswer('The permissions requested are not granted to this installation.');
  }
  const repos = narrowRepos(call, row, body);
  if (repos === 'out-of-reach') {
    return unprocessableAnswer(
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  removeExpiredTokens(call.world);
  const { token, expiresAtMs } = mintInstallationToken(call.world, row, narrowed, repos);
  return createdAnswer({
    token,
    expires_at: toIso(expiresAtMs),
    permissions: shapePermissions(narrowed),
    repository_selection: repos === null ? 'all' : 'selected',
    ...(repos === null
      ? {}
      : {
          repositories: repos.map((id) =>
            shapeRepo(call.world, requireRow(call.world.state.repos[id], `repository ${id}`)),
          ),
        }),
  });
}

/** A token may have fewer permissions than the installation, never more. */
function narrowPermissions(row: Installation, wanted: Permissions | undefined): Permissions | null {
  if (wanted === undefined) return row.permissions;
  const all = Object.entries(wanted).every(([name, level]) => hasPermissionNeed(row.permissions, `${name}:${level}`));
  return all ? wanted : null;
}

/** Repository ids of the token; null = all of the installation's. */
function narrowRepos(
  call: Call,
  row: Installation,
  body: z.infer<typeof wish>,
): readonly number[] | null | 'out-of-reach' {
  if (body.repositories === undefined && body.repository_ids === undefined) return row.repoIds;
  const known = Object.values(call.world.state.repos).filter((repo) => coversRepo(row, repo));
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
  const row = listInstallations(call).find((one) => one.accountId === owner?.id);
  return row === undefined ? notFoundAnswer() : okAnswer(shapeInstallation(call.world, row));
}

function listInstallations(call: Call): readonly Installation[] {
  const appId = callerAppId(call);
  return Object.values(call.world.state.installations).filter((one) => one.appId === appId);
}

/** The App's own installation with the id in `:id`. */
export function findInstallation(call: Call): Installation | null {
  return listInstallations(call).find((one) => `${one.id}` === call.params['id']) ?? null;
}

function canReach(call: Call, repo: Repo): boolean {
  if (call.caller.kind === 'workflow') return call.caller.repoId === repo.id;
  if (call.caller.kind !== 'installation') return false;
  const row = call.world.state.installations[call.caller.installationId];
  const { repoIds } = call.caller;
  return row !== undefined && coversRepo(row, repo) && (repoIds === null || repoIds.includes(repo.id));
}

/** The calling App, on a route that admits only Apps. */
export function callerAppId(call: Call): number {
  if (call.caller.kind !== 'app') throw new Error('a route for Apps was reached by somebody else');
  return call.caller.appId;
}

function hasRepoName(repo: Repo, params: Call['params']): boolean {
  return `${repo.owner}/${repo.name}`.toLowerCase() === `${params['owner']}/${params['repo']}`.toLowerCase();
}
