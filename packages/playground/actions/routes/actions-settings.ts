/**
 * Routes of a repository's Actions settings (docs.github.com/rest/actions/permissions, /secrets, /self-hosted-runners).
 */

import * as z from 'zod';
import { pagedIn } from '../../api/paging.ts';
import { noContent, ok } from '../../api/reply.ts';
import { type ActorCall, type RepoCall, type Route, reads, repoAccess, writes } from '../../api/route.ts';
import { freshRepo } from '../../threads/threads.ts';
import type { JsonObject } from '../../world/json.ts';
import type { Repo } from '../../world/state.ts';
import { type ActionsSettings, newActionsSettings, type Runner } from '../../world/state-settings.ts';
import { shapeSecret } from './environments.ts';

const read = repoAccess('administration:read', 'admin');
const write = repoAccess('administration:write', 'admin');
const readSecrets = repoAccess('secrets:read', 'write');
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
  reads('/actions/permissions/workflow', read, ({ repo }) =>
    ok({
      default_workflow_permissions: settingsOf(repo).tokenDefault,
      can_approve_pull_request_reviews: repo.actionsMayCreatePulls,
    }),
  ),
  writes('PUT', '/actions/permissions/workflow', write, token, (call, body) => {
    const before = freshRepo(call);
    return change(
      call,
      { tokenDefault: body.default_workflow_permissions ?? settingsOf(before).tokenDefault },
      body.can_approve_pull_request_reviews ?? before.actionsMayCreatePulls,
    );
  }),
  reads('/actions/permissions/fork-pr-contributor-approval', read, ({ repo }) =>
    ok({ approval_policy: settingsOf(repo).forkApproval }),
  ),
  writes('PUT', '/actions/permissions/fork-pr-contributor-approval', write, forks, (call, body) =>
    change(call, { forkApproval: body.approval_policy }, freshRepo(call).actionsMayCreatePulls),
  ),
  reads('/actions/secrets', readSecrets, (call) =>
    pagedIn(call, 'secrets', Object.keys(call.repo.secrets).toSorted(), (name) => shapeSecret(call, name)),
  ),
  // Organizations have no secrets of their own here.
  reads('/actions/organization-secrets', readSecrets, (call) => pagedIn(call, 'secrets', [], () => ({}))),
  reads('/actions/runners', read, (call) => pagedIn(call, 'runners', runnersOf(call), (one) => shapeRunner(one))),
];

/** The repository's Actions settings; the defaults of a new repository where they were never changed. */
export function settingsOf(repo: Repo): ActionsSettings {
  return repo.actions ?? newActionsSettings;
}

function change(
  call: ActorCall,
  settings: Partial<ActionsSettings>,
  actionsMayCreatePulls: boolean,
): ReturnType<typeof noContent> {
  const repo = freshRepo(call);
  const actions = { ...settingsOf(repo), ...settings };
  call.world.state.repos[repo.id] = { ...repo, actions, actionsMayCreatePulls };
  return noContent();
}

function runnersOf(call: RepoCall): readonly Runner[] {
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
