/** One run of the past in a row: what it changed, what came of it, and what it cost. */

import type { RentedMoney } from './launch/spending.ts';
import type { EventDataByType } from './logbook/event.ts';
import type { Metrics } from './logbook/events/job-events.ts';
import type { Observed } from './observed.ts';

export type PastRow = {
  readonly run: string;
  readonly lane: string;
  readonly date: string;
  /** The pass that it started from; null where it started from the target branch. */
  readonly base: string | null;
  /** What was new against that; none for an identical rerun, null before there is a manifest. */
  readonly changes:
    | readonly {
        readonly knob: string;
        readonly before: string | null;
        readonly after: string | null;
      }[]
    | null;
  readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED' | null;
  /** As a person or the verdict settled it; `open` = nobody has yet. */
  readonly verdict: EventDataByType['sealed']['verdict'] | EventDataByType['closed']['outcome'] | 'open';
  readonly metrics: Metrics;
  /** How often it was launched, and what all of that was approved to cost; null where the record does not say it. */
  readonly launches: number;
  readonly acceleratorHours: string | null;
  /** Millionths of a dollar that its rented machines have cost; null: it rented none. */
  readonly microdollars: number | null;
  readonly issue: number;
  readonly pull: number;
  readonly tracker: string | null;
};

/** `rented`: what each run of every lane that rented has cost, in no order. */
export type PastLane = { readonly rows: readonly PastRow[]; readonly rented: readonly RentedMoney[] };

/** The last runs of a lane, for who asks; unknown where a record does not verify. */
export type PastOf = (lane: string) => Observed<PastLane>;
