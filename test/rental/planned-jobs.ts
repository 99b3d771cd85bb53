/** Jobs that are only planned, on the account of the rehearsed Vast.ai: what they do, and what a look can see of it. */

import { OFFERS } from '../../packages/playground/test/support/vast-market.ts';
import type { Account } from '../../packages/playground/vast/account.ts';
import type { Container, Instance } from '../../packages/playground/vast/instance.ts';
import { storageHourly } from '../../packages/playground/vast/offers.ts';
import type { RentedInstance } from '../../src/domain/rented.ts';

/** In front of a job's id in the labels of our machines. */
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

export function scripted(atMs: number, plan: Plan | undefined): Script {
  return {
    endsAtMs: plan === undefined ? null : atMs + plan.endsAfterMs,
    beganAtMs: atMs,
    hangsAtMs: atMs + (plan?.hangsAfterMs ?? 0),
    log: async () => Buffer.alloc(0),
    signal: () => undefined,
    remove: async () => undefined,
  };
}

/** What is really going on, which no look of ours can ask. */
export function trains({ actual, container }: Instance, nowMs: number): boolean {
  return actual === 'running' && container !== null && nowMs < (container as Script).hangsAtMs;
}

/** What the log tells: when its last step was; a container that has begun and made none counts from its beginning. */
export function stepsSeen(
  { actual, container }: Instance,
  before: number | null,
  nowMs: number,
): number | null {
  if (container === null) return before;
  const { beganAtMs, hangsAtMs } = container as Script;
  return actual === 'running' ? Math.min(nowMs, hangsAtMs) : (before ?? beganAtMs);
}

export function rowOf({ id, label, actual, createdAtMs, offer, disk }: Instance): RentedInstance {
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
