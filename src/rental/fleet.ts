/** The runs that rent machines, and their limits. */

import type { TearDownReason } from '../domain/logbook/events/rental-events.ts';

/** Limits of machines, in milliseconds and dollars. */
export type TearDownPolicy = {
  /** Maximum time without training progress. */
  readonly idleGraceMs: number;
  /** Maximum time from creation to the first step, which includes image, data and compilation. */
  readonly startGraceMs: number;
  /** Maximum life of an instance, even if a person keeps it. */
  readonly lifetimeMs: number;
  /** Maximum cost of all machines of a run, or of one machine without a run. */
  readonly dollarsMax: number;
};

/** A claimed job: an instance may exist for it. */
export type RentingRun = {
  readonly jobId: string;
  /** The approved limits. */
  readonly policy: TearDownPolicy;
  /** When the job ended; null: live. */
  readonly endedAtMs: number | null;
  /** When its step last advanced; null: never. */
  readonly progressAtMs: number | null;
  /** A person asked to keep the machine until then, within the limits. */
  readonly keepUntilMs: number | null;
  /** A person asked for its teardown. */
  readonly isAsked: boolean;
  /** Cost of all machines of the run by the next check, in dollars. */
  readonly dollarsThen: number;
};

/** All renting runs. An incomplete record cannot prove that a machine is an orphan. */
export type RecordRead = { readonly runs: readonly RentingRun[]; readonly isWhole: boolean };

/** An instance to destroy that was not verified as gone. */
export type Condemned = {
  readonly reason: TearDownReason;
  readonly sinceMs: number;
  readonly alertedAtMs: number | null;
};
