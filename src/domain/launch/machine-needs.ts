/** A run's requirements for its rented machine, within the lab's limits. */

import type { RentalTerms } from './manifest.ts';

/** Absent values come from the cluster. Dollars and shares are decimal text. */
export type MachineNeeds = {
  readonly gpu?: string;
  readonly gpus?: number;
  readonly vramGb?: number;
  readonly ramGb?: number;
  readonly diskGb?: number;
  readonly reliability?: string;
  /** By its digest. */
  readonly image?: string;
  readonly dollarsPerHourMax?: string;
  readonly dollarsMax?: string;
  readonly hoursMax?: number;
  readonly endGraceMinutes?: number;
};

/** A cap of the lab that the request exceeds. */
export type BeyondCap = {
  readonly what: keyof MachineNeeds;
  readonly asked: string;
  readonly most: string;
};

/** Whether the lab's limits allow such a machine, and on which terms; null: the cluster does not rent. */
export type MachineFit = { readonly terms: RentalTerms | null; readonly beyond: readonly BeyondCap[] };
