/** Table row of a past run. */

import type { RentedMoney } from './launch/spending.ts';
import type { EventDataByType } from './logbook/event.ts';
import type { Metrics } from './logbook/events/job-events.ts';
import type { Observed } from './observed.ts';

export type PastRow = {
  readonly run: string;
  readonly lane: string;
  readonly date: string;
  /** The sealed pass that it started from; null: the target branch. */
  readonly base: string | null;
  /** Changes against that base; null before there is a manifest. */
  readonly changes:
    | readonly {
        readonly knob: string;
        readonly before: string | null;
        readonly after: string | null;
      }[]
    | null;
  readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED' | null;
  /** `open`: not decided yet. */
  readonly verdict: EventDataByType['sealed']['verdict'] | EventDataByType['closed']['outcome'] | 'open';
  readonly metrics: Metrics;
  /** Number of launches and their total approved cost; null if not recorded. */
  readonly launches: number;
  readonly acceleratorHours: string | null;
  /** Rental cost in millionths of a dollar; null without rentals. */
  readonly microdollars: number | null;
  readonly issue: number;
  readonly pull: number;
  readonly tracker: string | null;
};

/** `rented`: rental costs of all lanes, unordered. */
export type PastLane = { readonly rows: readonly PastRow[]; readonly rented: readonly RentedMoney[] };

/** Recent runs of a lane; unknown if a record does not verify. */
export type PastOf = (lane: string) => Observed<PastLane>;
