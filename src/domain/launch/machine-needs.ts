/** What a run asks of the machine that is rented for it, within what the lab rents at all. */

import type { RentalTerms } from './rental-terms.ts';

/** What is left out is as the cluster has it. Dollars and shares are decimal text. */
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

/** A cap of the lab that a run asks to be above. */
export type BeyondCap = {
  readonly what: keyof MachineNeeds;
  readonly asked: string;
  readonly most: string;
};

/** Whether the lab rents such a machine, and on what terms; null: nothing is rented there at all. */
export type MachineFit = { readonly terms: RentalTerms | null; readonly beyond: readonly BeyondCap[] };
