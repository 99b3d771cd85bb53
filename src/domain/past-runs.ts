/** Table row of a past run. */

import type { RentedMoney } from './launch/spending.ts';
import type { EventDataByType } from './logbook/event.ts';
import type { Metrics } from './logbook/events/job-events.ts';
import type { Observed } from './values.ts';

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

export type MetricRow = {
  readonly key: string;
  readonly value: string | null;
  readonly median: string | null;
  /** Percent; positive = worse than the median. */
  readonly worsePercent: number | null;
  readonly tolerancePercent: string;
  readonly outcome: 'pass' | 'fail' | 'unknown' | 'no-baseline';
};

export type RunVerdict = {
  readonly result: 'pass' | 'fail' | 'unknown';
  readonly statusOk: boolean;
  readonly expectedStep: number | null;
  readonly lastStep: number | null;
  readonly stepOutcome: 'pass' | 'fail' | 'unknown';
  readonly rows: readonly MetricRow[];
  readonly comparedWith: readonly string[];
};

/** `launch` follows from the others. `unknown` in `to`: the record lacks a needed fact. */
type DecisionKind = 'gate' | 'quorum' | 'launch' | 'verdict';

export type ReplayedDecision = {
  readonly decision: DecisionKind;
  /** The gate or the run. */
  readonly subject: string;
  /** The recording event. */
  readonly seq: number;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  /** Reason code of the gate or of the replay. */
  readonly why: string;
};

export type ReplayedRun = {
  readonly run: string;
  readonly date: string;
  readonly decisions: readonly ReplayedDecision[];
};

/** `changed` and `unknown` count decisions. */
export type Backtest = {
  readonly runs: readonly ReplayedRun[];
  readonly decisions: number;
  readonly changed: number;
  readonly unknown: number;
};

/** An unknown outcome counts as neither changed nor equal. */
export function isChanged({ from, to }: ReplayedDecision): boolean {
  return to !== 'unknown' && from !== to;
}

/** Whether the record lacks a needed fact. */
export function isUnclear({ from, to }: ReplayedDecision): boolean {
  return to === 'unknown' && from !== to;
}

/** Decisions that would change or cannot be determined. */
export function differences({ decisions }: ReplayedRun): readonly ReplayedDecision[] {
  return decisions.filter((decision) => isChanged(decision) || isUnclear(decision));
}
