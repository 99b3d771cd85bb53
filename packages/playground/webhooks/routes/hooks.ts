/** Routes of an App's delivery log (docs.github.com/rest/apps/webhooks). */

import * as z from 'zod';
import { pageOf } from '../../api/paging.ts';
import { parseJson } from '../../api/read-body.ts';
import { type Answer, failed, notFound, ok } from '../../api/reply.ts';
import { type Call, plain, type Route, withBody } from '../../api/route.ts';
import { appIdOf } from '../../identity/routes/apps.ts';
import { github } from '../../limits/limits.ts';
import type { Json } from '../../world/json.ts';
import { appById } from '../../world/lookup.ts';
import type { Delivery } from '../../world/state.ts';
import { iso } from '../../world/time.ts';
import { setWebhook } from '../hook.ts';
import { redeliver } from '../webhooks.ts';
import { installationRoutes } from './installations.ts';

const hookChange = z.object({
  url: z.url().optional(),
  secret: z.string().optional(),
  content_type: z.literal('json').optional(),
  insecure_ssl: z.union([z.literal('0'), z.literal(0)]).optional(),
});

export const hookRoutes: readonly Route[] = [
  plain('GET', '/app/hook/config', 'app', (call) => {
    const { webhook } = appById(call.world, appIdOf(call));
    return ok({ content_type: 'json', insecure_ssl: '0', secret: '********', url: webhook?.url ?? '' });
  }),
  plain('PATCH', '/app/hook/config', 'app', (call) =>
    withBody(call.body, hookChange, (body) => {
      const { url } = setWebhook(call.world, appIdOf(call), body);
      return ok({ content_type: 'json', insecure_ssl: '0', secret: '********', url });
    }),
  ),
  ...installationRoutes,
  plain('GET', '/app/hook/deliveries', 'app', listDeliveries),
  plain('GET', '/app/hook/deliveries/:id', 'app', (call) => {
    const row = deliveryOf(call);
    return row === null ? notFound() : ok(shapeFull(row));
  }),
  plain('POST', '/app/hook/deliveries/:id/attempts', 'app', attempt),
];

/** Newest first, paged by `cursor` (the id of the last delivery seen) as GitHub pages this list. */
function listDeliveries(call: Call): Answer {
  const { perPage } = pageOf(call.query);
  const cursor = /^v1_(\d+)$/.exec(call.query.get('cursor') ?? '')?.[1];
  const wantsFailures = call.query.get('status') === 'failure';
  const rows = ofApp(call)
    .toReversed()
    .filter((row) => cursor === undefined || row.id < Number(cursor))
    .filter((row) => !wantsFailures || row.statusCode >= 400);
  const page = rows.slice(0, perPage);
  const last = page.at(-1);
  if (last === undefined || rows.length <= perPage) return ok(page.map(shape));
  const next = new URL(call.url);
  next.searchParams.set('cursor', `v1_${last.id}`);
  return ok(page.map(shape), { link: `<${next.href}>; rel="next"` });
}

function attempt(call: Call): Answer {
  const row = deliveryOf(call);
  if (row === null) return notFound();
  if (!redeliver(call.world, row)) return failed(503, 'Webhooks are not running.');
  return { status: 202, body: {}, headers: {} };
}

/** After three days a delivery is no longer listed, shown or redelivered (docs: redelivering webhooks). */
function ofApp(call: Call): readonly Delivery[] {
  const appId = appIdOf(call);
  const since = call.world.clock.now() - github.redeliveryWindowMs;
  return Object.values(call.world.state.deliveries).filter((row) => row.appId === appId && row.deliveredAtMs >= since);
}

function deliveryOf(call: Call): Delivery | null {
  return ofApp(call).find((row) => `${row.id}` === call.params['id']) ?? null;
}

function shape(row: Delivery): { readonly [key: string]: Json } {
  return {
    id: row.id,
    guid: row.guid,
    delivered_at: iso(row.deliveredAtMs),
    redelivery: row.redelivery,
    duration: row.durationMs / 1000,
    status: row.status,
    status_code: row.statusCode,
    event: row.event,
    action: row.action,
    installation_id: row.installationId,
    repository_id: row.repoId,
    throttled_at: null,
  };
}

function shapeFull(row: Delivery): { readonly [key: string]: Json } {
  const payload = parseJson(row.requestBody);
  return {
    ...shape(row),
    url: row.url,
    request: { headers: { ...row.requestHeaders }, payload: payload.ok ? payload.value : null },
    response: { headers: { ...row.responseHeaders }, payload: row.responseBody },
  };
}
