/** Rented machines and the runs they were rented for: what is desired, what the account has, and what may be spent. */

/** What an account says of an instance's state; null: still provisioned. */
export type InstanceStatus =
  | 'created'
  | 'loading'
  | 'running'
  | 'stopped'
  | 'frozen'
  | 'exited'
  | 'rebooting'
  | 'unknown'
  | 'offline'
  | null;

export type RentedInstance = {
  readonly id: number;
  /** From its label; null: not of our fleet, whatever it is. */
  readonly jobId: string | null;
  readonly status: InstanceStatus;
  readonly createdAtMs: number;
  /** Dollars an hour while it is `running` or `frozen`, its disk included. */
  readonly hourly: number;
  /** Dollars an hour whatever it does, as long as it is there. */
  readonly storageHourly: number;
};

/** All instances of the account at one moment; a list that could not be read whole is none. */
export type AccountRead =
  | { readonly kind: 'read'; readonly instances: readonly RentedInstance[] }
  | { readonly kind: 'unknown' };

/** A run for which the record has a claim: from then on an instance may be there. */
export type RentingRun = {
  readonly jobId: string;
  /** When the record says that it is over; null: it lives. */
  readonly endedAtMs: number | null;
  /** When its steps were last seen to move; null: never. */
  readonly progressAtMs: number | null;
  /** A person asked to keep the machine so long; never longer than the caps. */
  readonly keepUntilMs: number | null;
};

/** The record of all runs of the fleet; one that could not be read whole proves nobody an orphan. */
export type RecordRead =
  | { readonly kind: 'read'; readonly runs: readonly RentingRun[] }
  | { readonly kind: 'unknown' };

export type TearDownPolicy = {
  /** How long a machine may be there without training. */
  readonly idleGraceMs: number;
  /** From the creation until the first step: image, data and compilation. */
  readonly startGraceMs: number;
  /** The longest life of an instance, kept or not. */
  readonly lifetimeMs: number;
  /** Dollars that one instance may cost. */
  readonly dollarsMax: number;
  /** A destruction that is not verified is told again after this time. */
  readonly alertEveryMs: number;
};

export type TearDownReason = 'orphan' | 'double' | 'ended' | 'idle' | 'lifetime' | 'cost';

/** An instance that shall be gone, as long as it is not seen to be. */
export type Condemned = {
  readonly reason: TearDownReason;
  readonly sinceMs: number;
  readonly alertedAtMs: number | null;
};
