/** Planned jobs on the simulated Vast.ai account: what they do, and what an observation can see. */

import { OFFERS } from '../../packages/playground/test/support/vast-market.ts';
import type { Account } from '../../packages/playground/vast/account.ts';
import type { Container, Instance } from '../../packages/playground/vast/instance.ts';
import { storageHourly } from '../../packages/playground/vast/offers.ts';
import type { RentedInstance } from '../../src/domain/care/machines.ts';

/** The prefix of a job id in the labels of our machines. */
export const FLEET = 'ferrybot:lab:';

/** What a job will do once its container runs. */
export type Plan = { readonly endsAfterMs: number; readonly hangsAfterMs: number };

export function freeOffer({ offers, rented }: Account): number {
  return [...offers.keys()].find((id) => !rented.has(id)) ?? 1;
}

export function offerAt(index: number): (typeof OFFERS)[number] {
  const offer = OFFERS[index % OFFERS.length];
  if (offer === undefined) throw new Error('there are no offers');
  return offer;
}

export function createFor(account: Account, label: string | null, offer: number): void {
  account.create(offer, {
    ...{ image: 'x', disk: 30, env: [], onstart: null, args: [], runtype: 'args', bid: null, label },
    cancelsUnavailable: true,
  });
}

type Script = Container & { readonly beganAtMs: number; readonly hangsAtMs: number };

export function planContainer(atMs: number, plan: Plan | undefined): Script {
  return {
    endsAtMs: plan === undefined ? null : atMs + plan.endsAfterMs,
    beganAtMs: atMs,
    hangsAtMs: atMs + (plan?.hangsAfterMs ?? 0),
    log: async () => Buffer.alloc(0),
    signal: () => undefined,
    remove: async () => undefined,
  };
}

/** The real state, which no observation can query. */
export function isTraining({ actual, container }: Instance, nowMs: number): boolean {
  return actual === 'running' && container !== null && nowMs < (container as Script).hangsAtMs;
}

/** What the log shows: the time of its last step; a container without a step counts from its start. */
export function observedSteps({ actual, container }: Instance, before: number | null, nowMs: number): number | null {
  if (container === null) return before;
  const { beganAtMs, hangsAtMs } = container as Script;
  return actual === 'running' ? Math.min(nowMs, hangsAtMs) : (before ?? beganAtMs);
}

export function toRentedInstance({ id, label, actual, createdAtMs, offer, disk }: Instance): RentedInstance {
  const storage = storageHourly(offer, disk);
  return {
    id,
    jobId: label?.startsWith(FLEET) === true ? label.slice(FLEET.length) : null,
    status: actual,
    createdAtMs,
    hourly: offer.dph_base + storage,
    storageHourly: storage,
    traffic: 0,
  };
}
