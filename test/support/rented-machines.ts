/**
 * Rented machines for a simulated engine's jobs: an account of the simulated market in memory, one machine
 * per job.
 */

import { OFFERS } from '../../packages/playground/test/support/vast-market.ts';
import { type Account, createAccount } from '../../packages/playground/vast/account.ts';
import type { Instance } from '../../packages/playground/vast/instance.ts';
import { storageHourly } from '../../packages/playground/vast/offers.ts';
import { spendCapability } from '../../src/domain/actions/capability.ts';
import { destroyStep, type RentalAccount } from '../../src/domain/care/machines.ts';
import type { SimulatedEngine } from './simulated-engine.ts';

const FLEET = 'ferrybot:lab:';

/** A rented machine, and when it was destroyed. */
export type RentedMachine = {
  readonly id: number;
  readonly jobId: string;
  readonly atMs: number;
  endedAtMs: number | null;
};

export type Machines = {
  readonly account: Account;
  readonly made: readonly RentedMachine[];
  /** When this machine's job really ended; null while it runs. */
  readonly jobEndedAtMs: (jobId: string) => Promise<number | null>;
};

/** Makes this engine rent a machine for each job. */
export function rentMachines(engine: SimulatedEngine, now: () => number): Machines {
  const made: RentedMachine[] = [];
  const account = createAccount({
    now,
    offers: OFFERS.filter(({ id }) => id === 103 || id === 106).flatMap((offer) =>
      [0, 10, 20, 30].map((more) => ({ ...offer, id: offer.id + more, machine_id: offer.machine_id + more })),
    ),
    credit: 1_000,
    timing: { provisionMs: 5_000, createMs: 5_000, loadMs: 20_000, destroyMs: 2_000 },
    start: () => ({
      endsAtMs: null,
      log: async () => Buffer.alloc(0),
      signal: () => undefined,
      remove: async () => undefined,
    }),
    secret: () => 'no secret',
  });
  const submit = engine.submit.bind(engine);
  const observe = engine.observe.bind(engine);
  const rented: RentalAccount = {
    read: async () => ({ kind: 'read', instances: account.list().map(toRentedInstance), credit: account.credit() }),
    offer: async () => ({ kind: 'read', offer: null }),
    destroy: async (condemned, permit) => {
      spendCapability(permit, destroyStep(condemned));
      const one = made.find(({ id }) => id === condemned.id);
      const instance = account.find(condemned.id);
      if (one === undefined || instance === null) return { kind: 'destroyed' };
      one.endedAtMs ??= now();
      account.destroy(instance);
      engine.stopNow(one.jobId);
      return { kind: 'unknown', message: 'it was confirmed, and is still there' };
    },
  };
  Object.assign(engine, {
    rented,
    // A destroyed machine does not report how its job ended.
    observe: async (...[jobId, lastSession]: Parameters<SimulatedEngine['observe']>) => {
      const one = made.find((machine) => machine.jobId === jobId);
      if (one === undefined || account.find(one.id) !== null) return observe(jobId, lastSession);
      return lastSession === null
        ? { kind: 'absent', session: null }
        : { kind: 'state-lost', session: lastSession, message: 'the machine is no longer on the account' };
    },
    submit: async (...[spec, permit]: Parameters<SimulatedEngine['submit']>) => {
      const before = engine.startCount();
      const outcome = await submit(spec, permit);
      if (engine.startCount() > before) made.push(rent(account, spec.submissionId, now()));
      return outcome;
    },
  });
  const jobEndedAtMs = async (jobId: string): Promise<number | null> => {
    const job = await observe(jobId, null);
    return job.kind === 'found' ? job.endedAtMs : null;
  };
  return { account, made, jobEndedAtMs };
}

function rent(account: Account, jobId: string, atMs: number): RentedMachine {
  const offer = [...account.offers.keys()].find((id) => !account.rented.has(id)) ?? 0;
  const created = account.create(offer, {
    ...{ image: 'x', disk: 30, env: [], onstart: null, args: [], runtype: 'args', bid: null },
    label: `${FLEET}${jobId}`,
    cancelsUnavailable: true,
  });
  if (!created.ok) throw new Error(created.reason);
  return { id: created.instance.id, jobId, atMs, endedAtMs: null };
}

function toRentedInstance({ id, label, actual, createdAtMs, offer, disk }: Instance) {
  const storage = storageHourly(offer, disk);
  return {
    id,
    jobId: label?.startsWith(FLEET) === true ? label.slice(FLEET.length) : null,
    status: actual,
    machine: String(offer.machine_id),
    createdAtMs,
    hourly: offer.dph_base + storage,
    storageHourly: storage,
    traffic: 0,
  };
}

/** A machine dies on its host: its job is over, and its remaining storage is billed. */
export function breakMachine({ account, made }: Machines, engine: SimulatedEngine): void {
  const one = made.findLast(({ endedAtMs }) => endedAtMs === null);
  const instance = one === undefined ? null : account.find(one.id);
  if (one === undefined || instance === null || instance.next?.to === 'gone') return;
  account.happen(instance, 'offline');
  engine.failNow(one.jobId, 1);
}
