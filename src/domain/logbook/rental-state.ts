/** The rented machines of a run as the fold of its events. */

import type { Actor } from '../actor.ts';
import type { EventDataByType, EventOf } from './event.ts';
import type { SeenMachine, TearDownReason } from './events/rental-events.ts';

type Said = { readonly at: string; readonly seq: number };

/** A machine as it was seen last; `tearDown`: its destruction was begun, and `endedAt` is when it was seen to be gone. */
export type Machine = SeenMachine & {
  readonly seenAt: string;
  readonly tearDown: {
    readonly reason: TearDownReason;
    readonly since: string;
    readonly endedAt: string | null;
  } | null;
};

export type RentalState = {
  /** All that were ever seen, oldest first. */
  readonly machines: readonly Machine[];
  /** The newest whole read of the account. */
  readonly look: (Said & { readonly cadenceMs: number }) | null;
  readonly keep: (EventDataByType['machine-kept'] & Said & { readonly actor: Actor }) | null;
  readonly asked: (Said & { readonly actor: Actor }) | null;
  /** What would have been rented before the approval, at the newest look. */
  readonly offer: (EventDataByType['offer-seen'] & Said) | null;
};

/** Nobody has looked. */
export const NO_RENTAL: RentalState = { machines: [], look: null, keep: null, asked: null, offer: null };

export type RentalEvent = EventOf<
  'machines-seen' | 'tear-down-begun' | 'tear-down-ended' | 'machine-kept' | 'tear-down-asked' | 'offer-seen'
>;

/** What an event adds. */
export function rentalAfter(rental: RentalState, event: RentalEvent): RentalState {
  const said = { at: event.at, seq: event.seq };
  switch (event.type) {
    case 'machines-seen':
      return {
        ...rental,
        machines: seen(rental.machines, event),
        look: { ...said, cadenceMs: event.data.cadenceMs },
      };
    case 'tear-down-begun':
    case 'tear-down-ended':
      return { ...rental, machines: rental.machines.map((one) => tornDown(one, event)) };
    case 'offer-seen':
      return { ...rental, offer: { ...event.data, ...said } };
    case 'machine-kept':
      return event.actor === undefined
        ? rental
        : { ...rental, keep: { ...event.data, ...said, actor: event.actor } };
    case 'tear-down-asked':
      return event.actor === undefined ? rental : { ...rental, asked: { ...said, actor: event.actor } };
  }
}

function seen(before: readonly Machine[], { data, at }: EventOf<'machines-seen'>): readonly Machine[] {
  const now = new Map(data.machines.map((one) => [one.instance, one]));
  const known = new Set(before.map(({ instance }) => instance));
  const fresh = data.machines.filter(({ instance }) => !known.has(instance));
  return [
    ...before.map((one) => ({
      ...one,
      ...now.get(one.instance),
      ...(now.has(one.instance) ? { seenAt: at } : {}),
    })),
    ...fresh.map((one) => ({ ...one, seenAt: at, tearDown: null })),
  ];
}

function tornDown(
  machine: Machine,
  { type, data, at }: EventOf<'tear-down-begun' | 'tear-down-ended'>,
): Machine {
  if (machine.instance !== data.instance) return machine;
  const { tearDown } = machine;
  return type === 'tear-down-begun'
    ? { ...machine, tearDown: { reason: data.reason, since: at, endedAt: null } }
    : { ...machine, tearDown: tearDown === null ? null : { ...tearDown, endedAt: at } };
}
