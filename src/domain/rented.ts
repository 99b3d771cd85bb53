/** Rented machines as reported by the provider's account. */

import type { ActionStep } from './actions/action.ts';
import type { Permit } from './actions/capability.ts';
import type { RentalOffer } from './logbook/events/rental-events.ts';

/** Instance status; null: still provisioned. */
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
  /** From the label; null: not ferrybot's. */
  readonly jobId: string | null;
  readonly status: MachineStatus;
  /** The engine's name of the host machine, if known. */
  readonly machine?: string;
  readonly createdAtMs: number;
  /** Dollars per hour while `running` or `frozen`, including disk. */
  readonly hourly: number;
  /** Dollars per hour in any state. */
  readonly storageHourly: number;
  /** Traffic cost so far, in dollars. */
  readonly traffic: number;
};

/** All instances of the account; an incomplete list is `unknown`. `credit` null: unknown. */
export type AccountRead =
  | {
      readonly kind: 'read';
      readonly instances: readonly RentedInstance[];
      readonly credit: number | null;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** An instance to destroy. */
export type Condemnation = { readonly id: number; readonly jobId: string };

/** `offer` null: no offer fits. */
export type OfferRead =
  | { readonly kind: 'read'; readonly offer: RentalOffer | null }
  | { readonly kind: 'unknown'; readonly message: string };

/** `unknown`: also if a second listing still shows the instance after a confirmation. */
export type DestroyOutcome =
  | { readonly kind: 'destroyed' }
  | { readonly kind: 'unknown'; readonly message: string };

/** No method throws for an expected outcome. */
export type RentalAccount = {
  /** Every instance, page by page. */
  read(): Promise<AccountRead>;
  /** The offer that a submit would choose now. Rents nothing. */
  offer(): Promise<OfferRead>;
  /** Spends the capability, destroys the instance only if the account lists it under this job's label, and lists again until it is gone. */
  destroy(condemned: Condemnation, permit: Permit): Promise<DestroyOutcome>;
};

/** The step that destroys one instance of this job. */
export function destroyStep({ id, jobId }: Condemnation): ActionStep {
  return { does: 'destroy-machine', command: [jobId, String(id)] };
}
