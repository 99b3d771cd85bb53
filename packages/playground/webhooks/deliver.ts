/** Sends one webhook and records the answer. A delivery is tried once: GitHub never retries by itself. */

import { playground } from '../limits/limits.ts';
import type { Delivery } from '../world/state.ts';
import { nextId, type World } from '../world/world.ts';
import type { Outgoing } from './outgoing.ts';

/** Sends a webhook: `fetch` on a real machine, a function in tests. */
export type Transport = (request: Request) => Promise<Response>;

/** Resolves when the receiver has answered, failed or timed out; the log records all three. */
export async function deliver(
  world: World,
  transport: Transport,
  hook: Outgoing,
  redelivery: boolean,
  answerMs: number,
): Promise<Delivery> {
  const startedAtMs = world.clock.now();
  const answered = await sendWebhook(transport, hook, answerMs);
  const delivery: Delivery = {
    id: nextId(world, 'deliveries'),
    guid: hook.guid,
    appId: hook.appId,
    installationId: hook.installationId,
    repoId: hook.repoId,
    event: hook.event,
    action: hook.action,
    url: hook.url,
    deliveredAtMs: startedAtMs,
    durationMs: world.clock.now() - startedAtMs,
    redelivery,
    ...answered,
    requestHeaders: hook.headers,
    requestBody: hook.body,
  };
  world.state.deliveries[delivery.id] = delivery;
  dropOldest(world);
  await world.save();
  return delivery;
}

type DeliveryResult = Pick<Delivery, 'status' | 'statusCode' | 'responseHeaders' | 'responseBody'>;

async function sendWebhook(transport: Transport, hook: Outgoing, answerMs: number): Promise<DeliveryResult> {
  const signal = AbortSignal.timeout(answerMs);
  try {
    const request = new Request(hook.url, {
      method: 'POST',
      headers: hook.headers,
      body: hook.body,
      signal,
      // GitHub follows no redirect: another address would receive what was signed for this one.
      redirect: 'manual',
    });
    const response = await transport(request);
    const text = await response.text();
    return {
      status: response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`,
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: text.slice(0, playground.deliveryAnswerCharacters),
    };
  } catch (error) {
    // A receiver that is down or slow is an outcome that the log records; there is no retry.
    const status = signal.aborted ? 'timed out' : 'failed to connect to host';
    const responseBody = error instanceof Error ? `${error.message}: ${String(error.cause ?? '')}` : String(error);
    return { status, statusCode: signal.aborted ? 504 : 502, responseHeaders: {}, responseBody };
  }
}

function dropOldest(world: World): void {
  const ids = Object.keys(world.state.deliveries);
  for (const id of ids.slice(0, Math.max(0, ids.length - playground.deliveriesKept))) {
    delete world.state.deliveries[id];
  }
}
