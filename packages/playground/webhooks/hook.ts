/** An App's webhook settings: its address, its signing secret, and the ping that GitHub sends to a new one. */

import { shapeUser } from '../identity/shape-people.ts';
import type { App } from '../identity/state-people.ts';
import { appById, userById } from '../world/lookup.ts';
import { toIso } from '../world/time.ts';
import type { World } from '../world/world.ts';
import { signOutgoing } from './outgoing.ts';
import { sendAppWebhook } from './webhooks.ts';

/** Sets the address or secret; the old value is no longer used. The first address gets a ping. */
export function setWebhook(
  world: World,
  appId: number,
  change: { readonly url?: string | undefined; readonly secret?: string | undefined },
): { readonly url: string } {
  const app = appById(world, appId);
  const url = change.url ?? app.webhook?.url ?? '';
  const webhook = { url, secret: change.secret ?? app.webhook?.secret ?? '' };
  const isNew = app.webhook === null && url !== '';
  const changed: App = { ...app, webhook: url === '' ? null : webhook };
  world.state.apps[appId] = changed;
  if (isNew) sendAppWebhook(world, signOutgoing(world, changed, webhook, ABOUT_PING, pingPayload(world, changed, url)));
  return { url };
}

const ABOUT_PING = { event: 'ping', action: null, repoId: null, installationId: null } as const;

/** docs.github.com/webhooks: the `ping` payload of an App's hook. */
function pingPayload(world: World, app: App, url: string): object {
  const at = toIso(world.clock.now());
  return {
    zen: 'Speak like a human.',
    hook_id: app.id,
    hook: {
      type: 'App',
      id: app.id,
      name: 'web',
      active: true,
      events: [...app.events],
      config: { content_type: 'json', insecure_ssl: '0', secret: '********', url },
      created_at: at,
      updated_at: at,
      app_id: app.id,
      deliveries_url: `${world.baseUrl}/api/v3/app/hook/deliveries`,
    },
    sender: shapeUser(world, userById(world, app.ownerId)),
  };
}
