/**
 * Routes of a repository's Actions settings (docs.github.com/rest/actions/permissions, /secrets, /self-hosted-runners).
 */

import * as z from 'zod';
import { answerPageIn } from '../../api/paging.ts';
import { noContentAnswer, okAnswer } from '../../api/reply.ts';
import { type ActorCall, type RepoCall, type Route, readRoute, repoAccess, writeRoute } from '../../api/route.ts';
import { rereadRepo } from '../../threads/threads.ts';
import type { JsonObject } from '../../world/json.ts';
import type { Repo } from '../../world/state.ts';
import { type ActionsSettings, newActionsSettings, type Runner } from '../../world/state-settings.ts';
import { shapeSecret } from './environments.ts';

const read = repoAccess('administration:read', 'admin');
const write = repoAccess('administration:write', 'admin');
const readSecrets = repoAccess('secrets:read', 'write');
const readVariables = repoAccess('actions_variables:read', 'write');
const token = z.object({
  default_workflow_permissions: z.enum(['read', 'write']).optional(),
  can_approve_pull_request_reviews: z.boolean().optional(),
});
const forks = z.object({
  approval_policy: z.enum([
    'first_time_contributors_new_to_github',
    'first_time_contributors',
    'all_external_contributors',
  ]),
});

export const actionsSettingsRoutes: readonly Route[] = [
  readRoute('/actions/permissions/workflow', read, ({ repo }) =>
    okAnswer({
      default_workflow_permissions: actionsSettingsOf(repo).tokenDefault,
      can_approve_pull_request_reviews: repo.actionsMayCreatePulls,
    }),
  ),
  writeRoute('PUT', '/actions/permissions/workflow', write, token, (call, body) => {
    const before = rereadRepo(call);
    return changeSettings(
      call,
      { tokenDefault: body.default_workflow_permissions ?? actionsSettingsOf(before).tokenDefault },
      body.can_approve_pull_request_reviews ?? before.actionsMayCreatePulls,
    );
  }),
  readRoute('/actions/permissions/fork-pr-contributor-approval', read, ({ repo }) =>
    okAnswer({ approval_policy: actionsSettingsOf(repo).forkApproval }),
  ),
  writeRoute('PUT', '/actions/permissions/fork-pr-contributor-approval', write, forks, (call, body) =>
    changeSettings(call, { forkApproval: body.approval_policy }, rereadRepo(call).actionsMayCreatePulls),
  ),
  readRoute('/actions/secrets', readSecrets, (call) =>
    answerPageIn(call, 'secrets', Object.keys(call.repo.secrets).toSorted(), (name) => shapeSecret(call, name)),
  ),
  // Organizations have no secrets of their own here.
  readRoute('/actions/organization-secrets', readSecrets, (call) => answerPageIn(call, 'secrets', [], () => ({}))),
  readRoute('/actions/variables', readVariables, (call) =>
    answerPageIn(call, 'variables', Object.entries(call.repo.variables).toSorted(), ([name, value]) => ({
      ...shapeSecret(call, name),
      value,
    })),
  ),
  readRoute('/actions/organization-variables', readVariables, (call) =>
    answerPageIn(call, 'variables', [], () => ({})),
  ),
  readRoute('/actions/runners', read, (call) =>
    answerPageIn(call, 'runners', listRunners(call), (one) => shapeRunner(one)),
  ),
];

/** The repository's Actions settings; the defaults of a new repository where they were never changed. */
export function actionsSettingsOf(repo: Repo): ActionsSettings {
  return repo.actions ?? newActionsSettings;
}

function changeSettings(
  call: ActorCall,
  settings: Partial<ActionsSettings>,
  actionsMayCreatePulls: boolean,
): ReturnType<typeof noContentAnswer> {
  const repo = rereadRepo(call);
  const actions = { ...actionsSettingsOf(repo), ...settings };
  call.world.state.repos[repo.id] = { ...repo, actions, actionsMayCreatePulls };
  return noContentAnswer();
}

function listRunners(call: RepoCall): readonly Runner[] {
  return Object.values(call.world.state.runners).filter((one) => one.repoId === call.repo.id);
}

function shapeRunner({ id, name, os, labels }: Runner): JsonObject {
  const fixed = ['self-hosted', os, 'X64'];
  return {
    id,
    name,
    os,
    status: 'online',
    busy: false,
    labels: [
      ...fixed.map((label, index) => ({ id: index + 1, name: label, type: 'read-only' })),
      ...labels.map((label, index) => ({ id: fixed.length + index + 1, name: label, type: 'custom' })),
    ],
  };
}
