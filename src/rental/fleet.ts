/** The runs that machines are rented for, and what may be spent on them: what is desired of an account. */

import type { TearDownReason } from '../domain/logbook/events/rental-events.ts';

/** What machines are judged by, in milliseconds and dollars. */
export type TearDownPolicy = {
  /** How long a machine may be there without training. */
  readonly idleGraceMs: number;
  /** From the creation until the first step: image, data and compilation. */
  readonly startGraceMs: number;
  /** The longest life of an instance, kept or not. */
  readonly lifetimeMs: number;
  /** Dollars that all machines of one run may cost; of a machine without a run: that one. */
  readonly dollarsMax: number;
};

/** A job for which the record has a claim: from then on an instance may be there. */
export type RentingRun = {
  readonly jobId: string;
  /** What was approved for its run. */
  readonly policy: TearDownPolicy;
  /** When the record says that it is over; null: it lives. */
  readonly endedAtMs: number | null;
  /** When its steps were last seen to move; null: never. */
  readonly progressAtMs: number | null;
  /** A person asked to keep the machine so long; never longer than the caps. */
  readonly keepUntilMs: number | null;
  /** A person wants it gone. */
  readonly isAsked: boolean;
  /** What all machines of its run will have cost at the next look, in dollars. */
  readonly dollarsThen: number;
};

/** The record of all runs of the fleet; one that could not be read whole proves nobody an orphan. */
export type RecordRead = { readonly runs: readonly RentingRun[]; readonly isWhole: boolean };

/** An instance that shall be gone, as long as it is not seen to be. */
export type Condemned = {
  readonly reason: TearDownReason;
  readonly sinceMs: number;
  readonly alertedAtMs: number | null;
};
