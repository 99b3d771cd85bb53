/** Rented machines as an account has them: what an engine that rents says, and what may be asked of it. */

import type { Permit } from './actions/capability.ts';
import type { ActionStep } from './actions/step.ts';

/** What an account says of an instance's state; null: still provisioned. */
export const MACHINE_STATUSES = [
  'created',
  'loading',
  'running',
  'stopped',
  'frozen',
  'exited',
  'rebooting',
  'unknown',
  'offline',
] as const;
export type MachineStatus = (typeof MACHINE_STATUSES)[number] | null;

export type RentedInstance = {
  readonly id: number;
  /** From its label; null: not of our fleet, whatever it is. */
  readonly jobId: string | null;
  readonly status: MachineStatus;
  /** The host's machine that it is on, by the engine's name for it; left out where nobody says. */
  readonly machine?: string;
  readonly createdAtMs: number;
  /** Dollars an hour while it is `running` or `frozen`, its disk included. */
  readonly hourly: number;
  /** Dollars an hour whatever it does, as long as it is there. */
  readonly storageHourly: number;
  /** Dollars of its traffic so far. */
  readonly traffic: number;
};

/** All instances of the account at one moment; a list that could not be read whole is none. `credit` null: nobody knows it. */
export type AccountRead =
  | {
      readonly kind: 'read';
      readonly instances: readonly RentedInstance[];
      readonly credit: number | null;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** An instance of ours that shall be gone. */
export type Condemnation = { readonly id: number; readonly jobId: string };

/** The offer that would be rented now, by the numbers of the market; the price is in millionths of a dollar, with the disk. */
export type RentalOffer = {
  readonly offer: number;
  readonly machine: string;
  readonly gpu: string;
  readonly gpus: number;
  readonly microdollarsPerHour: number;
};

/** `offer` null: no offer fits. */
export type OfferRead =
  | { readonly kind: 'read'; readonly offer: RentalOffer | null }
  | { readonly kind: 'unknown'; readonly message: string };

/** What came of it: `unknown` also where it was confirmed and a second read still has the instance. */
export type DestroyOutcome =
  | { readonly kind: 'destroyed' }
  | { readonly kind: 'unknown'; readonly message: string };

/** The account behind an engine that rents. No method throws for an expected outcome. */
export type RentalAccount = {
  /** Every instance, page by page. */
  read(): Promise<AccountRead>;
  /** The offer that a submit would choose now. Rents nothing. */
  offer(): Promise<OfferRead>;
  /**
   * Spends the permit's capability with this very instance, and asks for it to be gone only where the account shows it under
   * the label of this job in our fleet. Looks again until it is not there.
   */
  destroy(condemned: Condemnation, permit: Permit): Promise<DestroyOutcome>;
};

/** The destruction of one instance that carries the label of this job. */
export function destroyStep({ id, jobId }: Condemnation): ActionStep {
  return { does: 'destroy-machine', command: [jobId, String(id)] };
}
