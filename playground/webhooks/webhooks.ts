/** Turns events of the world into signed webhooks, sends them, drops those that a fault takes, and sends again on demand. */

import { lot } from '../faults/strike.ts';
import { type Journey, journeysOf } from '../faults/webhook-faults.ts';
import { faults, playground } from '../limits.ts';
import type { WorldEvent } from '../world/bus.ts';
import type { Delivery, DropFault } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { deliver, type Transport } from './deliver.ts';
import { type Outgoing, webhooksOf } from './outgoing.ts';

export type Webhooks = {
  /** Resolves when nothing is on the way any more. */
  readonly settled: () => Promise<void>;
  /** Ends the subscription and waits for what is on the way. */
  readonly close: () => Promise<void>;
};

/**
 * Listens to the world until closed. Up to eight webhooks travel at once, so that their order is not guaranteed; the
 * request that caused one does not wait for it.
 */
export function startWebhooks(world: World, transport: Transport): Webhooks {
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
      await deliver(world, transport, hook, redelivery);
    });
    // Not in the same turn: the state is on disk and the request answered before anybody hears of it.
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
    for (const hook of webhooksOf(world, event)) {
      if (isDropped(world.state.settings.drop, event, hook)) continue;
      for (const journey of journeysOf(world, event.type)) travel(hook, journey);
    }
  });
  redeliveries.set(world, (delivery) => push(outgoingAgain(delivery), true));
  // A webhook's receiver may cause the next one: wait until a round finds nothing.
  const settled = async (): Promise<void> => {
    while (waiting.length > 0 || travelling.size > 0) {
      next();
      await Promise.all(travelling);
    }
  };
  const close = async (): Promise<void> => {
    unsubscribe();
    closed = true;
    redeliveries.delete(world);
    await settled();
  };
  return { settled, close };
}

const redeliveries = new WeakMap<World, (delivery: Delivery) => void>();

/** Sends an entry of the log again with the same GUID and bytes; false when no webhooks are running. */
export function redeliver(world: World, delivery: Delivery): boolean {
  const send = redeliveries.get(world);
  send?.(delivery);
  return send !== undefined;
}

function isDropped(fault: DropFault, event: WorldEvent, hook: Outgoing): boolean {
  if (fault === 'none') return false;
  if (fault === 'all') return true;
  if (fault.event !== '*' && fault.event !== event.type) return false;
  return lot(fault.seed, hook.guid) < fault.rate;
}

function outgoingAgain(delivery: Delivery): Outgoing {
  return {
    guid: delivery.guid,
    appId: delivery.appId,
    installationId: delivery.installationId ?? 0,
    repoId: delivery.repoId ?? 0,
    event: delivery.event,
    action: delivery.action,
    url: delivery.url,
    headers: delivery.requestHeaders,
    body: delivery.requestBody,
  };
}
