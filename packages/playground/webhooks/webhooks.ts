/** Turns events of the world into signed webhooks, sends them, applies faults, and redelivers on request. */

import { drawNumber } from '../faults/strike.ts';
import { type Journey, planJourneys } from '../faults/webhook-faults.ts';
import { faults, github, playground } from '../limits/limits.ts';
import type { Delivery, DropFault } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { deliver, type Transport } from './deliver.ts';
import { listOutgoing, type Outgoing, signatures } from './outgoing.ts';

export type Webhooks = {
  /** Resolves when no webhook is in flight. */
  readonly settled: () => Promise<void>;
  /** Ends the subscription and waits for webhooks in flight. */
  readonly close: () => Promise<void>;
};

/**
 * Subscribes to the world until closed. Up to eight webhooks are in flight at once, so their order is not guaranteed.
 * The request that caused a webhook does not wait for it.
 */
export function startWebhooks(world: World, transport: Transport, answerMs: number = github.webhookAnswerMs): Webhooks {
  const waiting: (() => Promise<void>)[] = [];
  const travelling = new Set<Promise<void>>();
  const next = (): void => {
    while (travelling.size < playground.webhooksInFlight) {
      const job = waiting.shift();
      if (job === undefined) return;
      const trip = job().finally(() => {
        travelling.delete(trip);
        next();
      });
      travelling.add(trip);
    }
  };
  const push = (hook: Outgoing, redelivery: boolean): void => {
    waiting.push(async () => {
      await deliver(world, transport, hook, redelivery, answerMs);
    });
    // Send it in a later turn, when the state is on disk and the request has been answered.
    setImmediate(next);
  };
  let closed = false;
  const held = new Set<() => void>();
  const travel = (hook: Outgoing, { waitMs, behind }: Journey): void => {
    const overtaken = [...held];
    if (waitMs === 0 && !behind) push(hook, false);
    else {
      let isSent = false;
      const go = (): void => {
        held.delete(go);
        if (!isSent && !closed) push(hook, false);
        isSent = true;
      };
      if (behind) held.add(go);
      void world.clock.sleep(behind ? faults.overtakenMs + waitMs : waitMs).then(go);
    }
    for (const go of overtaken) go();
  };
  const unsubscribe = world.bus.subscribe((event) => {
    for (const hook of listOutgoing(world, event)) {
      if (isDropped(world.state.settings.drop, hook)) continue;
      for (const journey of planJourneys(world, event.type)) travel(hook, journey);
    }
  });
  outboxes.set(world, {
    again: (delivery) => push(outgoingAgain(world, delivery), true),
    tell: (hook) => {
      if (isDropped(world.state.settings.drop, hook)) return;
      for (const journey of planJourneys(world, hook.event)) travel(hook, journey);
    },
  });
  // A receiver may cause the next webhook, so repeat until a round finds none.
  const settled = async (): Promise<void> => {
    while (waiting.length > 0 || travelling.size > 0) {
      next();
      await Promise.all(travelling);
    }
  };
  const close = async (): Promise<void> => {
    unsubscribe();
    closed = true;
    outboxes.delete(world);
    await settled();
  };
  return { settled, close };
}

type Outbox = { readonly again: (delivery: Delivery) => void; readonly tell: (hook: Outgoing) => void };
const outboxes = new WeakMap<World, Outbox>();

/** Sends a logged delivery again with the same GUID and bytes; false when no webhooks are running. */
export function redeliver(world: World, delivery: Delivery): boolean {
  const outbox = outboxes.get(world);
  outbox?.again(delivery);
  return outbox !== undefined;
}

/** Sends a webhook that belongs to no repository; does nothing when no webhooks are running. */
export function sendAppWebhook(world: World, hook: Outgoing): void {
  outboxes.get(world)?.tell(hook);
}

function isDropped(fault: DropFault, hook: Outgoing): boolean {
  if (fault === 'none') return false;
  if (fault === 'all') return true;
  if (fault.event !== '*' && fault.event !== hook.event) return false;
  return drawNumber(fault.seed, hook.guid) < fault.rate;
}

/** The same bytes and GUID, with the App's current address and secret. */
function outgoingAgain(world: World, delivery: Delivery): Outgoing {
  const webhook = world.state.apps[delivery.appId]?.webhook ?? null;
  const fresh = webhook === null ? {} : signatures(delivery.requestBody, webhook.secret);
  return {
    guid: delivery.guid,
    appId: delivery.appId,
    installationId: delivery.installationId,
    repoId: delivery.repoId,
    event: delivery.event,
    action: delivery.action,
    url: webhook?.url ?? delivery.url,
    headers: { ...withoutSignatures(delivery.requestHeaders), ...fresh },
    body: delivery.requestBody,
  };
}

function withoutSignatures(headers: Delivery['requestHeaders']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-hub-signature')));
}
