/** Organization routes (docs.github.com/rest/actions/self-hosted-runner-groups, /orgs and /teams/members). */

import { answerPage, answerPageIn } from '../../api/paging.ts';
import { type Answer, failedAnswer, notFoundAnswer, okAnswer } from '../../api/reply.ts';
import { type Call, plainRoute, type Reply, type Route } from '../../api/route.ts';
import { ownsAccount } from '../../rules/rulesets.ts';
import type { JsonObject } from '../../world/json.ts';
import { findUser, userById } from '../../world/lookup.ts';
import type { RunnerGroup } from '../../world/state-settings.ts';
import { toIso } from '../../world/time.ts';
import { hasPermissionNeed, type PermissionNeed } from '../permissions.ts';
import { shapeInstallation, shapeUser, userNodeId } from '../shape-people.ts';
import type { User } from '../state-people.ts';

export const organizationRoutes: readonly Route[] = [
  plainRoute('GET', '/orgs/:org', 'public', (call) => {
    const org = findUser(call.world, call.params['org'] ?? '');
    return org === null || org.type !== 'Organization' ? notFoundAnswer() : okAnswer(shapeOrganization(call, org));
  }),
  plainRoute('GET', '/orgs/:org/actions/runner-groups', 'signed-in', (call) =>
    answerOwners(call, 'organization_self_hosted_runners:read', (org) => {
      const rows = Object.values(call.world.state.runnerGroups).filter((one) => one.ownerId === org.id);
      return answerPageIn(call, 'runner_groups', rows, (one) => shapeGroup(call, org, one));
    }),
  ),
  plainRoute('GET', '/orgs/:org/installations', 'signed-in', (call) =>
    answerOwners(call, 'organization_administration:read', (org) => {
      const rows = Object.values(call.world.state.installations).filter((one) => one.accountId === org.id);
      return answerPageIn(call, 'installations', rows, (one) => shapeInstallation(call.world, one));
    }),
  ),
  plainRoute('GET', '/orgs/:org/teams/:team/members', 'signed-in', answerMembers),
];

/** A team is visible to its members and to owners of the organization; for an App it takes `members: read`. */
function answerMembers(call: Call): Reply {
  const { caller, params, world } = call;
  const org = findUser(world, params['org'] ?? '');
  const team = Object.values(world.state.teams).find(
    ({ ownerId, slug }) => ownerId === org?.id && slug === params['team'],
  );
  if (org === null || team === undefined) return notFoundAnswer();
  const isMember = caller.kind === 'user' && team.memberIds.includes(caller.userId);
  const refused = isMember ? null : refuseUnlessOwner(call, org, 'members:read');
  // GitHub hides the team from other people.
  if (refused !== null) return caller.kind === 'user' ? notFoundAnswer() : refused;
  return answerPage(
    call,
    team.memberIds.map((id) => userById(world, id)),
    (user) => shapeUser(world, user),
  );
}

/** Answers only an owner of the organization, or its App with the permission. */
function answerOwners(call: Call, need: PermissionNeed, answer: (org: User) => Reply): Reply {
  const org = findUser(call.world, call.params['org'] ?? '');
  if (org === null || org.type !== 'Organization') return notFoundAnswer();
  return refuseUnlessOwner(call, org, need) ?? answer(org);
}

function refuseUnlessOwner(call: Call, org: User, need: PermissionNeed): Answer | null {
  const { caller, world } = call;
  switch (caller.kind) {
    case 'user':
      return ownsAccount(world, org.id, caller.userId)
        ? null
        : failedAnswer(403, 'You must be an owner of this organization.');
    case 'installation': {
      const isOurs = world.state.installations[caller.installationId]?.accountId === org.id;
      return isOurs && hasPermissionNeed(caller.permissions, need)
        ? null
        : failedAnswer(403, 'Resource not accessible by integration');
    }
    case 'workflow':
    case 'app':
    case 'anonymous':
      return failedAnswer(403, 'Resource not accessible by integration');
  }
}

/** docs.github.com/rest/orgs: get an organization. Only an owner sees the plan. */
function shapeOrganization(call: Call, org: User): JsonObject {
  const { world } = call;
  const url = `${world.baseUrl}/api/v3/orgs/${org.login}`;
  const repositories = Object.values(world.state.repos).filter(({ ownerId }) => ownerId === org.id);
  const hidden = repositories.filter((one) => one.private).length;
  return {
    login: org.login,
    id: org.id,
    node_id: userNodeId(org),
    type: org.type,
    avatar_url: `${world.baseUrl}/_playground/avatars/${org.id}`,
    html_url: `${world.baseUrl}/${org.login}`,
    url,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    hooks_url: `${url}/hooks`,
    issues_url: `${url}/issues`,
    members_url: `${url}/members{/member}`,
    public_members_url: `${url}/public_members{/member}`,
    description: null,
    has_organization_projects: false,
    has_repository_projects: false,
    public_repos: repositories.length - hidden,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: toIso(org.createdAtMs),
    updated_at: toIso(org.createdAtMs),
    archived_at: null,
    ...(refuseUnlessOwner(call, org, 'organization_administration:read') === null && {
      plan: { name: 'team', space: 976562499, private_repos: 9999 },
    }),
  };
}

function shapeGroup(call: Call, org: User, row: RunnerGroup): JsonObject {
  const api = `${call.world.baseUrl}/api/v3/orgs/${org.login}/actions/runner-groups/${row.id}`;
  return {
    id: row.id,
    name: row.name,
    visibility: 'all',
    default: false,
    runners_url: `${api}/runners`,
    inherited: false,
    allows_public_repositories: true,
    workflow_restrictions_read_only: false,
    restricted_to_workflows: row.workflows !== null,
    selected_workflows: [...(row.workflows ?? [])],
  };
}
