/** One account of the simulated Vast.ai on one clock: instances change state and are billed without a network. */

import type { StartContainer } from './container.ts';
import { type ActualStatus, addCharges, type Instance, sumCharges } from './instance.ts';
import type { Offer } from './offers.ts';

/** Durations of the state changes. */
export type Timing = {
  readonly provisionMs: number;
  readonly createMs: number;
  readonly loadMs: number;
  /** How long a destroyed instance is still listed and billed. */
  readonly destroyMs: number;
};

export type AccountOptions = {
  readonly now: () => number;
  readonly offers: readonly Offer[];
  /** In dollars. */
  readonly credit: number;
  readonly timing: Timing;
  readonly start: StartContainer;
  /** Generates keys and tokens. The caller decides how hard to guess they must be. */
  readonly secret: () => string;
};

export type CreateInput = Pick<
  Instance,
  'image' | 'disk' | 'env' | 'onstart' | 'args' | 'runtype' | 'bid' | 'label'
> & { readonly cancelsUnavailable: boolean };

export type CreateOutcome =
  | { readonly ok: true; readonly instance: Instance }
  | { readonly ok: false; readonly reason: 'no-offer' | 'unavailable' };

/** A state change that the owner did not request. */
export type StateEvent = 'outbid' | 'frozen' | 'unknown' | 'offline' | 'thawed';

export type Account = ReturnType<typeof createAccount>;

type Holdings = {
  readonly options: AccountOptions;
  readonly offers: Map<number, Offer>;
  readonly rented: Set<number>;
  readonly instances: Map<number, Instance>;
  readonly removals: Set<Promise<void>>;
  nextId: number;
  billedBefore: number;
};

/** An account without rented instances. */
export function createAccount(options: AccountOptions) {
  const holdings: Holdings = {
    options,
    offers: new Map(options.offers.map((offer) => [offer.id, offer])),
    rented: new Set(),
    instances: new Map(),
    removals: new Set(),
    nextId: 7_000_001,
    billedBefore: 0,
  };
  const { offers, rented, instances, removals } = holdings;
  return {
    offers,
    rented,
    advance: () => advanceAccount(holdings),
    billed: () => sumBilled(holdings),
    credit: () => options.credit - sumBilled(holdings),
    create: (offerId: number, input: CreateInput) => createInstance(holdings, offerId, input),
    destroy: (instance: Instance) => destroyInstance(holdings, instance),
    start: (instance: Instance): void => {
      instance.intended = 'running';
      if (instance.actual === 'stopped' || instance.actual === 'exited')
        enterStatus(holdings, instance, 'loading', options.now());
    },
    /** Stop requested by the owner: the disk is kept and billed. */
    stop: (instance: Instance): void => {
      instance.intended = 'stopped';
      haltInstance(holdings, instance, '');
    },
    happen: (instance: Instance, what: StateEvent) => applyStateEvent(holdings, instance, what),
    /** Changes a host's price; existing rentals keep theirs. */
    reprice: (offerId: number, dphBase: number): void => {
      const offer = offers.get(offerId);
      if (offer !== undefined) offers.set(offerId, { ...offer, dph_base: dphBase });
    },
    /** Traffic of the instance, in GB. */
    transfer: ({ charges, traffic, offer }: Instance, upGb: number, downGb: number): void => {
      traffic.upGb += upGb;
      traffic.downGb += downGb;
      charges.bandwidth += upGb * offer.inet_up_cost + downGb * offer.inet_down_cost;
    },
    /** Waits until the processes of destroyed instances have ended. */
    settled: async (): Promise<void> => {
      await Promise.all(removals);
    },
    find: (id: number): Instance | null => {
      advanceAccount(holdings);
      return instances.get(id) ?? null;
    },
    list: (): readonly Instance[] => {
      advanceAccount(holdings);
      return [...instances.values()];
    },
  };
}

function sumBilled({ billedBefore, instances }: Holdings): number {
  return [...instances.values()].reduce((sum, instance) => sum + sumCharges(instance), billedBefore);
}

/** Applies all due changes, each at its own moment. */
function advanceAccount(holdings: Holdings): void {
  const nowMs = holdings.options.now();
  for (const instance of [...holdings.instances.values()]) {
    for (let { next } = instance; next !== null && next.atMs <= nowMs; { next } = instance)
      enterStatus(holdings, instance, next.to, next.atMs);
    if (holdings.instances.has(instance.id)) addCharges(instance, nowMs);
  }
  if (sumBilled(holdings) < holdings.options.credit) return;
  for (const instance of holdings.instances.values())
    if (instance.actual !== 'stopped' && instance.next?.to !== 'gone')
      haltInstance(holdings, instance, 'stopped because the account has no credit');
}

function enterStatus(holdings: Holdings, instance: Instance, to: ActualStatus | 'gone', atMs: number): void {
  const { createMs, loadMs } = holdings.options.timing;
  addCharges(instance, atMs);
  instance.next = null;
  if (to === 'gone') {
    holdings.billedBefore += sumCharges(instance);
    holdings.instances.delete(instance.id);
    holdings.rented.delete(instance.offer.id);
    return;
  }
  instance.actual = to;
  if (to === 'created') instance.next = { atMs: atMs + createMs, to: 'loading' };
  if (to === 'loading') instance.next = { atMs: atMs + loadMs, to: 'running' };
  if (to === 'running') startContainer(holdings, instance, atMs);
}

function startContainer(holdings: Holdings, instance: Instance, atMs: number): void {
  const { start, now } = holdings.options;
  dropRemoval(holdings, instance);
  instance.message = 'success, running';
  const started = start(instance, atMs, (code) => {
    // Ignore a replaced process, or one whose instance has another state by now.
    if (instance.container !== started || instance.actual !== 'running') return;
    addCharges(instance, now());
    instance.actual = 'exited';
    instance.message = `container exited with ${code ?? 'a signal'}`;
  });
  instance.container = started;
  if (started.endsAtMs !== null) instance.next = { atMs: started.endsAtMs, to: 'exited' };
}

function dropRemoval({ removals }: Holdings, { container }: Instance): void {
  if (container === null) return;
  const removal = container.remove();
  removals.add(removal);
  void removal.finally(() => removals.delete(removal));
}

function haltInstance({ options }: Holdings, instance: Instance, message: string): void {
  addCharges(instance, options.now());
  instance.container?.signal('SIGKILL');
  instance.next = null;
  instance.actual = 'stopped';
  instance.message = message;
}

function createInstance(holdings: Holdings, offerId: number, input: CreateInput): CreateOutcome {
  advanceAccount(holdings);
  const { options, offers, rented, instances } = holdings;
  const offer = offers.get(offerId);
  if (offer === undefined) return { ok: false, reason: 'no-offer' };
  const isTaken = rented.has(offerId);
  if (isTaken && input.cancelsUnavailable) return { ok: false, reason: 'unavailable' };
  rented.add(offerId);
  const atMs = options.now();
  const { cancelsUnavailable: _, ...given } = input;
  const instance: Instance = {
    ...given,
    id: holdings.nextId,
    offer,
    apiKey: options.secret(),
    jupyterToken: options.secret(),
    createdAtMs: atMs,
    intended: 'running',
    actual: isTaken ? 'stopped' : null,
    message: isTaken ? 'the machine is not available' : '',
    next: isTaken ? null : { atMs: atMs + options.timing.provisionMs, to: 'created' },
    container: null,
    utilisation: 96,
    traffic: { upGb: 0, downGb: 0 },
    charges: { gpu: 0, storage: 0, bandwidth: 0 },
    chargedToMs: atMs,
  };
  holdings.nextId += 1;
  instances.set(instance.id, instance);
  return { ok: true, instance };
}

function destroyInstance(holdings: Holdings, instance: Instance): void {
  if (instance.next?.to === 'gone') return;
  const { now, timing } = holdings.options;
  addCharges(instance, now());
  dropRemoval(holdings, instance);
  instance.next = { atMs: now() + timing.destroyMs, to: 'gone' };
  advanceAccount(holdings);
}

function applyStateEvent(holdings: Holdings, instance: Instance, what: StateEvent): void {
  advanceAccount(holdings);
  addCharges(instance, holdings.options.now());
  switch (what) {
    case 'outbid':
      haltInstance(holdings, instance, 'outbid');
      break;
    case 'thawed':
      instance.container?.signal('SIGCONT');
      instance.actual = 'running';
      break;
    case 'frozen':
      instance.container?.signal('SIGSTOP');
      instance.actual = what;
      break;
    case 'offline':
      instance.container?.signal('SIGKILL');
      instance.next = null;
      instance.actual = what;
      break;
    case 'unknown':
      instance.next = null;
      instance.actual = what;
      break;
  }
}
