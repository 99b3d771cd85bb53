/** Builds the webhooks of an event of the world: the receivers, the headers and the exact bytes. */

import { hasPermissionNeed, type PermissionNeed } from '../identity/permissions.ts';
import type { App, Installation } from '../identity/state-people.ts';
import { github } from '../limits/limits.ts';
import { isWebhook, type WorldEvent } from '../world/bus.ts';
import { publishWebhook } from '../world/channels.ts';
import { coversRepo } from '../world/lookup.ts';
import { nodeId } from '../world/node-id.ts';
import type { World } from '../world/world.ts';
import { formatGuid, signature1, signature256 } from './sign.ts';

export type Outgoing = {
  readonly guid: string;
  readonly appId: number;
  readonly installationId: number | null;
  readonly repoId: number | null;
  readonly event: string;
  readonly action: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The permission that an App needs to receive an event. */
const needOf: Readonly<Record<string, PermissionNeed>> = {
  check_run: 'checks:read',
  check_suite: 'checks:read',
  create: 'contents:read',
  delete: 'contents:read',
  deployment: 'deployments:read',
  deployment_status: 'deployments:read',
  issue_comment: 'issues:read',
  issues: 'issues:read',
  label: 'metadata:read',
  milestone: 'issues:read',
  pull_request: 'pull_requests:read',
  pull_request_review: 'pull_requests:read',
  pull_request_review_comment: 'pull_requests:read',
  push: 'contents:read',
  release: 'contents:read',
  repository_dispatch: 'contents:read',
  status: 'statuses:read',
  workflow_dispatch: 'contents:read',
  workflow_job: 'actions:read',
  workflow_run: 'actions:read',
};

/** One webhook for each App that is installed on the repository, subscribed to the event, and permitted to read it. */
export function listOutgoing(world: World, event: WorldEvent): readonly Outgoing[] {
  const need = needOf[event.type];
  const repo = world.state.repos[event.repoId];
  if (need === undefined || repo === undefined || !isWebhook(event)) return [];
  const found: Outgoing[] = [];
  for (const installation of Object.values(world.state.installations)) {
    const app = world.state.apps[installation.appId];
    if (app?.webhook === undefined || app.webhook === null || !coversRepo(installation, repo)) continue;
    if (installation.suspended !== undefined || !isForApp(app, event)) continue;
    const alternative: PermissionNeed = event.type === 'issue_comment' ? 'pull_requests:read' : need;
    const readable =
      hasPermissionNeed(installation.permissions, need) || hasPermissionNeed(installation.permissions, alternative);
    if (!installation.events.includes(event.type) || !readable) continue;
    const hook = buildOutgoing(world, event, app, installation, app.webhook);
    if (Buffer.byteLength(hook.body) <= github.webhookPayloadBytes) found.push(hook);
  }
  return found;
}

/** A request about a check goes only to the App that created it (docs.github.com/webhooks: check_run, check_suite). */
function isForApp(app: App, { action, payload }: WorldEvent): boolean {
  if (action !== 'rerequested' && action !== 'requested_action') return true;
  const made: unknown = Object(payload['check_run'] ?? payload['check_suite'])['app'];
  return Object(made)['id'] === app.id;
}

function buildOutgoing(
  world: World,
  event: WorldEvent,
  app: App,
  installation: Installation,
  webhook: NonNullable<App['webhook']>,
): Outgoing {
  const payload = { ...event.payload, installation: { id: installation.id, node_id: nodeId('INS', installation.id) } };
  const about = { event: event.type, action: event.action, repoId: event.repoId, installationId: installation.id };
  return signOutgoing(world, app, webhook, about, payload);
}

/** A webhook with GitHub's headers, signed over its exact bytes. */
export function signOutgoing(
  world: World,
  app: App,
  webhook: NonNullable<App['webhook']>,
  about: Pick<Outgoing, 'event' | 'action' | 'repoId' | 'installationId'>,
  payload: object,
): Outgoing {
  const guid = formatGuid(world.randomBytes(16));
  const body = JSON.stringify(payload);
  publishWebhook(about.event, about.action, () => payload);
  return {
    guid,
    appId: app.id,
    ...about,
    url: webhook.url,
    body,
    headers: {
      accept: '*/*',
      'content-type': 'application/json',
      // A receiver may check this format: GitHub-Hookshot/ and some hexadecimal digits.
      'user-agent': 'GitHub-Hookshot/0f1a2b3',
      'x-github-delivery': guid,
      'x-github-event': about.event,
      'x-github-hook-id': `${app.id}`,
      'x-github-hook-installation-target-id': `${app.id}`,
      'x-github-hook-installation-target-type': 'integration',
      ...signatures(body, webhook.secret),
    },
  };
}

/** Both signatures of a text under the App's current secret; a hook without a secret is not signed. */
export function signatures(body: string, secret: string): Readonly<Record<string, string>> {
  if (secret === '') return {};
  return { 'x-hub-signature': signature1(body, secret), 'x-hub-signature-256': signature256(body, secret) };
}
