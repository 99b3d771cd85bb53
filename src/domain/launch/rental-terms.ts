/** What is agreed about a rented machine before it is rented: what it may cost, how long it may live, and when it goes by itself. */

/**
 * Stands in the envelope of a manifest, so that it is approved with it, and is what the machines of a run are judged by from
 * then on; machines of which no run is known are judged by what their cluster says now. Dollars are decimal text.
 */
export type RentalTerms = {
  /** No machine is taken that costs more in an hour, its disk included. */
  readonly dollarsPerHourMax: string;
  /** All machines of the run together, those of its earlier attempts too: where it is reached they are destroyed. */
  readonly dollarsMax: string;
  /** What the cluster may rent on a day and in a month, in UTC; null: nobody adds it up. */
  readonly dollarsPerDayMax: string | null;
  readonly dollarsPerMonthMax: string | null;
  /** The longest life of one machine, from its creation, kept or not; the machine ends itself then, whoever watches. */
  readonly hoursMax: number;
  /** From the creation until the first step: image, data, compilation. */
  readonly startMinutesMax: number;
  /** So long a machine may be there while no step of its run moves: the grace after which it is destroyed. */
  readonly idleMinutesMax: number;
  /** So long after its job a machine ends itself, where the watch has not destroyed it before. */
  readonly endMinutesMax: number;
  /** So long somebody may ask for a machine to be kept, from when they ask; never beyond `hoursMax` or `dollarsMax`. */
  readonly keepHoursMax: number;
};
