/** Events about a run's rented machines. Money is in whole millionths of a dollar. */

import * as z from 'zod';
import type { Actor } from '../../actor.ts';
import { MACHINE_STATUSES } from '../../care/machines.ts';
import { formatDuration, formatMicrodollars } from '../../values.ts';
import {
  actorText,
  byPerson,
  code,
  type DataOf,
  defineEvents,
  type EventDraft,
  type EventOf,
  type LogbookEvent,
  moment,
  prose,
} from '../define.ts';
import { offerRequest, rentalTerms } from '../holdings.ts';
import { amount, digest, integer, text } from '../parts.ts';
import type { RunState } from '../run-state.ts';

/** Completes the sentence *it is destroyed because …*. */
export const TEAR_DOWN_WHY = {
  orphan: 'no live run is known for it',
  double: 'an older machine runs the same job',
  ended: 'its job is over',
  idle: 'no step of its job has moved for too long',
  lifetime: 'it has reached its longest life',
  cost: 'its run has reached what it may cost',
  asked: 'a person asked for it',
} as const;
export type TearDownReason = keyof typeof TEAR_DOWN_WHY;
export const TEAR_DOWN_REASONS = Object.keys(TEAR_DOWN_WHY) as readonly TearDownReason[];

const seenMachine = z.object({
  instance: integer,
  jobId: text,
  status: z
    .enum([...MACHINE_STATUSES, 'gone'])
    .nullable()
    .describe('`gone`: the account no longer lists it; `null`: still provisioned'),
  machine: text.exactOptional().describe("the host's machine; missing if the account does not report it"),
  createdAt: text,
  microdollarsPerHour: amount,
  microdollarsPerHourStored: amount.describe('for its disk only'),
  microdollars: amount.describe('cost until this observation'),
  microdollarsOfTraffic: amount.describe('the part of the cost that is traffic'),
  isEstimated: z.boolean().exactOptional().describe('the real cost may be lower; missing if the cost is complete'),
});

const tearDown = z.object({
  instance: integer,
  jobId: text,
  cluster: text,
  reason: z.enum(TEAR_DOWN_REASONS),
  microdollars: amount.describe('cost until then'),
});

const data = {
  'offer-seen': z.object({
    digest,
    offer: z
      .object({ offer: integer, machine: text, gpu: text, gpus: amount, microdollarsPerHour: amount })
      .nullable()
      .describe('`null`: no offer fits'),
    unread: text.exactOptional().describe('why the offers could not be read'),
  }),
  'machines-seen': z.object({
    machines: z.array(seenMachine),
    cadenceMs: integer.describe('planned time until the next observation'),
  }),
  'tear-down-begun': tearDown,
  'tear-down-ended': tearDown,
  'machine-kept': z.object({ until: text, reason: text }),
  'tear-down-asked': z.object({ comment: integer }),
};

export type RentalEventData = DataOf<typeof data>;
/** The best current offer. The price includes the disk. */
export type RentalOffer = NonNullable<RentalEventData['offer-seen']['offer']>;
export type SeenMachine = RentalEventData['machines-seen']['machines'][number];
export type TearDown = RentalEventData['tear-down-begun'];

/** The last observation of a machine; `tearDown.endedAt`: when the account no longer listed it. */
export type Machine = SeenMachine & {
  readonly seenAt: string;
  readonly tearDown: {
    readonly reason: TearDownReason;
    readonly since: string;
    readonly endedAt: string | null;
  } | null;
};

type Moment = { readonly at: string; readonly seq: number };
export type RentalState = {
  /** All machines ever seen, oldest first. */
  readonly machines: readonly Machine[];
  /** The newest complete listing of the account. */
  readonly lastListing: (Moment & { readonly cadenceMs: number }) | null;
  readonly keepRequest: (RentalEventData['machine-kept'] & Moment & { readonly actor: Actor }) | null;
  readonly tearDownRequest: (Moment & { readonly actor: Actor }) | null;
  /** The newest offer found before the approval. */
  readonly offer: (RentalEventData['offer-seen'] & Moment) | null;
};

export const NO_RENTAL: RentalState = {
  machines: [],
  lastListing: null,
  keepRequest: null,
  tearDownRequest: null,
  offer: null,
};

export const rentalEvents = defineEvents(data, {
  'offer-seen': {
    title: 'offer searched',
    meaning: 'The offer that ferrybot would rent for the manifest `digest`, which waits for its approval.',
    writers: ['watch'],
    rule: (state, event) =>
      offerRequest(state)?.digest === event.data.digest ? null : 'an offer that nobody waits for',
    apply: (state, event) => updateRental(state, { offer: { ...event.data, ...moment(event) } }),
    describe: ({ data: { offer, unread } }) => ({
      status:
        unread !== undefined
          ? 'the offers could not be read'
          : offer === null
            ? 'no offer fits'
            : `offer ${offer.offer} fits`,
      evidence:
        offer === null
          ? prose(unread ?? '')
          : `machine ${prose(offer.machine)}: ${offer.gpus} × ${prose(offer.gpu)}, ${formatMicrodollars(offer.microdollarsPerHour)} an hour`,
      next: 'the launch searches again with the same rule',
    }),
  },
  'machines-seen': {
    title: 'rented machines',
    meaning:
      'A complete read of the account: the current machines of this run, and those that are gone since the read before.',
    writers: ['watch'],
    rule: checkRents,
    apply: (state, event) =>
      updateRental(state, {
        machines: mergeMachines(state.rental.machines, event),
        lastListing: { ...moment(event), cadenceMs: event.data.cadenceMs },
      }),
    describe: ({ data: { machines, cadenceMs } }) => ({
      status: machines.length === 0 ? 'the account has no machine of this run' : '',
      evidence: machines
        .map(
          ({ instance, status, microdollars, isEstimated }) =>
            `machine ${instance} ${status ?? 'provisioned'}, ${formatMicrodollars(microdollars)} so far${isEstimated === true ? ' at most' : ''}`,
        )
        .join('; '),
      next: `next check within ${formatDuration(cadenceMs)}`,
    }),
  },
  'tear-down-begun': {
    title: 'tear-down started',
    meaning: 'The watch is about to request the destruction of the machine. In the journal if no live run is known.',
    writers: ['watch'],
    isInJournal: true,
    rule: tearDownRule,
    apply: (state, { data: { instance, reason }, at }) =>
      updateTearDown(state, instance, () => ({ reason, since: at, endedAt: null })),
    describe: ({ data: { instance, jobId, cluster, reason } }) => ({
      status: `machine ${instance} of ${code(jobId)} on ${code(cluster)} is destroyed: ${TEAR_DOWN_WHY[reason]}`,
      decision: 'the watch requests the destruction now',
      next: 'the watch repeats the request until a complete read of the account no longer lists the machine',
    }),
  },
  'tear-down-ended': {
    title: 'tear-down verified',
    meaning: 'A later complete read of the account no longer lists the machine.',
    writers: ['watch'],
    isInJournal: true,
    rule: tearDownRule,
    apply: (state, { data: { instance }, at }) =>
      updateTearDown(state, instance, (begun) => begun && { ...begun, endedAt: at }),
    describe: ({ data: { instance, jobId } }) => ({
      status: `machine ${instance} of ${code(jobId)} is gone`,
      evidence: 'a complete read of the account',
      decision: 'it costs nothing from now on',
    }),
  },
  'machine-kept': {
    title: 'machines kept',
    meaning: 'A person requests that the machines of the run are kept `until` this time, for the `reason`.',
    writers: ['control'],
    isByPerson: true,
    apply: (state, event) => updateRental(state, { keepRequest: { ...event.data, ...byPerson(event) } }),
    describe: ({ data: { until, reason }, actor }) => ({
      status: `the machines of this run are kept until ${until}`,
      evidence: `requested by ${actorText(actor)}`,
      decision: prose(reason),
      next: 'the watch destroys them then, or earlier at a limit',
    }),
  },
  'tear-down-asked': {
    title: 'tear-down requested',
    meaning: 'A person requests in `comment` that the machines of the run are destroyed.',
    writers: ['control'],
    isByPerson: true,
    apply: (state, event) => updateRental(state, { tearDownRequest: byPerson(event) }),
    describe: ({ actor }) => ({
      status: 'a person requested the destruction of the machines of this run',
      evidence: `requested by ${actorText(actor)}`,
      next: 'the watch destroys them',
    }),
  },
});

function checkRents(state: RunState, { type }: { readonly type: string }): string | null {
  return rentalTerms(state) === null ? `${type} of a run that rents nothing` : null;
}

function tearDownRule(state: RunState, event: EventOf<'tear-down-begun' | 'tear-down-ended'>): string | null {
  const { instance, jobId } = event.data;
  const machine = state.rental.machines.find((one) => one.instance === instance && one.jobId === jobId);
  if (rentalTerms(state) === null) return checkRents(state, event);
  if (machine === undefined) return `${event.type} of a machine that was not seen`;
  const isOpen = machine.tearDown !== null && machine.tearDown.endedAt === null;
  if (event.type === 'tear-down-begun') return isOpen ? 'a machine is torn down once' : null;
  return isOpen ? null : 'tear-down-ended of what was not begun';
}

function updateRental(state: RunState, change: Partial<RentalState>): RunState {
  return { ...state, rental: { ...state.rental, ...change } };
}

function updateTearDown(
  state: RunState,
  instance: number,
  change: (tearDown: Machine['tearDown']) => Machine['tearDown'],
): RunState {
  const machines = state.rental.machines.map((one) =>
    one.instance === instance ? { ...one, tearDown: change(one.tearDown) } : one,
  );
  return updateRental(state, { machines });
}

function mergeMachines(
  before: readonly Machine[],
  { data: { machines }, at }: EventOf<'machines-seen'>,
): readonly Machine[] {
  const now = new Map(machines.map((one) => [one.instance, { ...one, seenAt: at }]));
  const known = new Set(before.map(({ instance }) => instance));
  const fresh = [...now.values()].filter(({ instance }) => !known.has(instance));
  return [
    ...before.map((one) => ({ ...one, ...now.get(one.instance) })),
    ...fresh.map((one) => ({ ...one, tearDown: null })),
  ];
}

/** `endedAt` null: no complete listing without it yet. */
export type Orphan = TearDown & { readonly seq: number; readonly since: string; readonly endedAt: string | null };

/** The orphans after one more journal event. */
export function applyToOrphans(orphans: readonly Orphan[], event: LogbookEvent): readonly Orphan[] {
  if (event.type === 'tear-down-begun')
    return [...orphans, { ...event.data, seq: event.seq, since: event.at, endedAt: null }];
  if (event.type !== 'tear-down-ended') return orphans;
  return orphans.map((one) =>
    isOpen(one, event) ? { ...one, endedAt: event.at, microdollars: event.data.microdollars } : one,
  );
}

/** The rule that the event breaks, or null. */
export function findIllegalOrphan(orphans: readonly Orphan[], event: EventDraft): string | null {
  if (event.type !== 'tear-down-begun' && event.type !== 'tear-down-ended') return null;
  const isBegun = orphans.some((one) => isOpen(one, event));
  if (event.type === 'tear-down-begun') return isBegun ? 'a machine is torn down once' : null;
  return isBegun ? null : 'tear-down-ended of what was not begun';
}

/** Orphans that may still exist. */
export function openOrphans(orphans: readonly Orphan[]): readonly Orphan[] {
  return orphans.filter(({ endedAt }) => endedAt === null);
}

function isOpen(one: Orphan, { data }: { readonly data: Pick<TearDown, 'instance' | 'cluster'> }): boolean {
  return one.endedAt === null && one.instance === data.instance && one.cluster === data.cluster;
}
