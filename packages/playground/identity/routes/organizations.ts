/** Organization routes for owners (docs.github.com/rest/actions/self-hosted-runner-groups and /orgs). */

import { answerPageIn } from '../../api/paging.ts';
import { type Answer, failedAnswer, notFoundAnswer } from '../../api/reply.ts';
import { type Call, plainRoute, type Reply, type Route } from '../../api/route.ts';
import { ownsAccount } from '../../rules/rulesets.ts';
import type { JsonObject } from '../../world/json.ts';
import { findUser } from '../../world/lookup.ts';
import type { RunnerGroup } from '../../world/state-settings.ts';
import { hasPermissionNeed, type PermissionNeed } from '../permissions.ts';
import { shapeInstallation } from '../shape-people.ts';
import type { User } from '../state-people.ts';

export const organizationRoutes: readonly Route[] = [
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
];

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
