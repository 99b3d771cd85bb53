/**
 * Limits of a rented machine, approved as part of the manifest's envelope and binding for the run's machines. Machines without a known run
 * follow their cluster's current settings. Dollars are decimal text.
 */
export type RentalTerms = {
  /** Maximum hourly price, including disk. */
  readonly dollarsPerHourMax: string;
  /** All machines of the run's attempts together; at the limit they are destroyed. */
  readonly dollarsMax: string;
  /** The cluster's limits per UTC day and month; null: no limit. */
  readonly dollarsPerDayMax: string | null;
  readonly dollarsPerMonthMax: string | null;
  /** Maximum life from creation, even if kept. The machine shuts itself down then. */
  readonly hoursMax: number;
  /** From creation to the first step: image, data, compilation. */
  readonly startMinutesMax: number;
  /** Destroyed after this time without a new step. */
  readonly idleMinutesMax: number;
  /** The machine shuts itself down this long after its job, unless the watch destroyed it before. */
  readonly endMinutesMax: number;
  /** A person can keep a machine this long from their request, but never beyond `hoursMax` or `dollarsMax`. */
  readonly keepHoursMax: number;
};
