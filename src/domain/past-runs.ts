/** Past runs: launches and their costs, rows of the history table, verdicts and backtests. */

import type { EventDataByType } from './logbook/define.ts';
import type { Metrics } from './logbook/events/job-events.ts';
import { NO_ORDER, rentalTerms, sumMicrodollars } from './logbook/holdings.ts';
import { isLive } from './logbook/job-state.ts';
import { type IssuedOrder, listOrders, type RunState } from './logbook/run-state.ts';
import { addDays, addDecimals, type Observed, WEEKDAYS, weekdayOf } from './values.ts';

export const PERIODS = ['week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** `acceleratorHours` null: unknown. */
export type Launch = { readonly date: string; readonly acceleratorHours: string | null };

/** A run's launches, without orders that certainly started nothing. */
export function listLaunches(state: RunState): readonly Launch[] {
  return listOrders(state).flatMap(toLaunch);
}

function toLaunch({ claim, status, manifest, digest }: IssuedOrder): readonly Launch[] {
  // Adopted jobs were not paid for here.
  if (claim === null || status === 'failed' || digest === NO_ORDER) return [];
  return [{ date: claim.at.slice(0, 10), acceleratorHours: manifest?.cost.acceleratorHours ?? null }];
}

/** Total accelerator hours: `0` without launches, null if the cost of any launch is unknown. */
export function sumCost(launches: readonly Launch[]): string | null {
  return launches.reduce<string | null>(
    (sum, { acceleratorHours }) =>
      sum === null || acceleratorHours === null ? null : addDecimals(sum, acceleratorHours),
    '0',
  );
}

/** In UTC: a week by its Monday (`2026-11-16`), a month as `2026-11`. */
export function periodContaining(period: Period, date: string): string {
  if (period === 'month') return date.slice(0, 7);
  const sinceMonday = (WEEKDAYS.indexOf(weekdayOf(date)) + 6) % 7;
  return addDays(date, -sinceMonday);
}

/** Launches in the period of this date. */
export function filterByPeriod(launches: readonly Launch[], period: Period, date: string): readonly Launch[] {
  const wanted = periodContaining(period, date);
  return launches.filter((launch) => periodContaining(period, launch.date) === wanted);
}

/**
 * Rental cost up to the newest observation, in millionths of a dollar, on the day of the newest claim. `dollars`: what counts against a
 * limit, the approved maximum while the run is live.
 */
export type RentedMoney = {
  readonly lane: string;
  readonly cluster: string;
  readonly date: string;
  readonly microdollars: number;
  readonly dollars: string;
};
export type RentalSpending = Pick<RentedMoney, 'cluster' | 'date' | 'dollars'>;

/** Null if the run rented nothing. */
export function sumRentedMoney(state: RunState): RentedMoney | null {
  const { order, proposal } = state;
  const terms = rentalTerms(state);
  if (terms === null || order?.claim == null || order.manifest === null) return null;
  const microdollars = sumMicrodollars(state);
  return {
    lane: proposal.lane,
    cluster: order.manifest.cluster,
    date: order.claim.at.slice(0, 10),
    microdollars,
    dollars: isLive(state) ? terms.dollarsMax : (microdollars / 1_000_000).toFixed(6),
  };
}

export type PastRow = {
  readonly run: string;
  readonly lane: string;
  readonly date: string;
  /** The sealed pass that the run started from; null: the target branch. */
  readonly base: string | null;
  /** Changes against the base; null before the first manifest. */
  readonly changes:
    | readonly { readonly knob: string; readonly before: string | null; readonly after: string | null }[]
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
export type PastRunsReader = (lane: string) => Observed<PastLane>;

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
export function listDifferences({ decisions }: ReplayedRun): readonly ReplayedDecision[] {
  return decisions.filter((decision) => isChanged(decision) || isUnclear(decision));
}
