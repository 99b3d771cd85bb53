/** Routes of an App's delivery log (docs.github.com/rest/apps/webhooks). */

import * as z from 'zod';
import { readPage } from '../../api/paging.ts';
import { parseJson } from '../../api/read-body.ts';
import { type Answer, failedAnswer, notFoundAnswer, okAnswer } from '../../api/reply.ts';
import { type Call, parseBodyAnd, plainRoute, type Route } from '../../api/route.ts';
import { callerAppId } from '../../identity/routes/apps.ts';
import { github } from '../../limits/limits.ts';
import type { Json } from '../../world/json.ts';
import { appById } from '../../world/lookup.ts';
import type { Delivery } from '../../world/state.ts';
import { toIso } from '../../world/time.ts';
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
  plainRoute('GET', '/app/hook/config', 'app', (call) => {
    const { webhook } = appById(call.world, callerAppId(call));
    return okAnswer({ content_type: 'json', insecure_ssl: '0', secret: '********', url: webhook?.url ?? '' });
  }),
  plainRoute('PATCH', '/app/hook/config', 'app', (call) =>
    parseBodyAnd(call.body, hookChange, (body) => {
      const { url } = setWebhook(call.world, callerAppId(call), body);
      return okAnswer({ content_type: 'json', insecure_ssl: '0', secret: '********', url });
    }),
  ),
  ...installationRoutes,
  plainRoute('GET', '/app/hook/deliveries', 'app', listDeliveries),
  plainRoute('GET', '/app/hook/deliveries/:id', 'app', (call) => {
    const row = findDelivery(call);
    return row === null ? notFoundAnswer() : okAnswer(shapeFullDelivery(row));
  }),
  plainRoute('POST', '/app/hook/deliveries/:id/attempts', 'app', redeliverHook),
];

/** Newest first, paged by `cursor` (the id of the last delivery seen) as GitHub pages this list. */
function listDeliveries(call: Call): Answer {
  const { perPage } = readPage(call.query);
  const cursor = /^v1_(\d+)$/.exec(call.query.get('cursor') ?? '')?.[1];
  const wantsFailures = call.query.get('status') === 'failure';
  const rows = listDeliveriesOfApp(call)
    .toReversed()
    .filter((row) => cursor === undefined || row.id < Number(cursor))
    .filter((row) => !wantsFailures || row.statusCode >= 400);
  const page = rows.slice(0, perPage);
  const last = page.at(-1);
  if (last === undefined || rows.length <= perPage) return okAnswer(page.map(shapeDelivery));
  const next = new URL(call.url);
  next.searchParams.set('cursor', `v1_${last.id}`);
  return okAnswer(page.map(shapeDelivery), { link: `<${next.href}>; rel="next"` });
}

function redeliverHook(call: Call): Answer {
  const row = findDelivery(call);
  if (row === null) return notFoundAnswer();
  if (!redeliver(call.world, row)) return failedAnswer(503, 'Webhooks are not running.');
  return { status: 202, body: {}, headers: {} };
}

/** After three days a delivery is no longer listed, shown or redelivered (docs: redelivering webhooks). */
function listDeliveriesOfApp(call: Call): readonly Delivery[] {
  const appId = callerAppId(call);
  const since = call.world.clock.now() - github.redeliveryWindowMs;
  return Object.values(call.world.state.deliveries).filter((row) => row.appId === appId && row.deliveredAtMs >= since);
}

function findDelivery(call: Call): Delivery | null {
  return listDeliveriesOfApp(call).find((row) => `${row.id}` === call.params['id']) ?? null;
}

function shapeDelivery(row: Delivery): { readonly [key: string]: Json } {
  return {
    id: row.id,
    guid: row.guid,
    delivered_at: toIso(row.deliveredAtMs),
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

function shapeFullDelivery(row: Delivery): { readonly [key: string]: Json } {
  const payload = parseJson(row.requestBody);
  return {
    ...shapeDelivery(row),
    url: row.url,
    request: { headers: { ...row.requestHeaders }, payload: payload.ok ? payload.value : null },
    response: { headers: { ...row.responseHeaders }, payload: row.responseBody },
  };
}
