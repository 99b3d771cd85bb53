/** The issue of a lane: its last runs as a table, the metric that it is judged by as a chart, and what it cost. */

import {
  costOf,
  type Launch,
  launchesIn,
  PERIODS,
  type Period,
  periodOf,
  type RentedMoney,
} from '../domain/launch/spending.ts';
import { limits } from '../domain/limits.ts';
import { type Marker, markerText } from '../domain/marker.ts';
import type { PastRow } from '../domain/past-row.ts';
import { metricChart } from './chart.ts';
import { historyTable, rentedTables, SHOWN_PERIODS_MAX } from './history.ts';
import { code, paragraphs, table, text } from './words.ts';

/** What is known of a lane that has a run behind it. */
export type LaneHistory = {
  readonly lane: string;
  /** Newest first. */
  readonly rows: readonly PastRow[];
  /** The metric of the chart; null where the lane is judged by none. */
  readonly metric: string | null;
  /** All that those runs and earlier ones launched, in no order. */
  readonly launches: readonly Launch[];
  /** What those of them have rented. */
  readonly rented: readonly RentedMoney[];
};

/** The one issue of a lane, by which it is found again. */
export function laneIssueMarker(lane: string): Marker {
  return { run: 'journal', kind: 'issue', key: `lane-${lane}`, fields: {} };
}

/** Its title, whatever stands in it. */
export function laneIssueTitle(lane: string): string {
  return `Lane ${text(lane)}: its ferries`;
}

/** The source of its description while the lane has had no ferry. */
export function renderLaneWithoutRuns(lane: string): string {
  return framed(
    lane,
    `The lane ${code(lane)} has had no ferry yet. Until it has one, ferrybot says here on each day of its schedule why there is none.`,
  );
}

/** The source of its description; it tells no time of its own, so that it changes only when what it tells does. */
export function renderLaneHistory({ lane, rows, metric, launches, rented }: LaneHistory): string {
  const told = rows.length === limits.historyRows ? `the last ${limits.historyRows}` : 'all of them';
  return framed(
    lane,
    paragraphs(
      `The ferries of the lane ${code(lane)} that are over, ${told}, newest first. This is a copy of what the logbook has; it is brought up to date whenever the workflow that proposes runs. \`/status lane=${lane}\` tells it as it is now, on any thread.`,
      historyTable(rows, limits.historyCharsMax),
      chartPart(rows, metric),
      ...PERIODS.map((period) => costPart(launches, period)),
      rentedTables(rented),
    ),
  );
}

function framed(lane: string, content: string): string {
  return `${markerText(laneIssueMarker(lane))}\n🤖 ${content}`;
}

function chartPart(rows: readonly PastRow[], metric: string | null): string | null {
  if (metric === null) return null;
  const values = rows
    .toReversed()
    .flatMap(({ date, metrics }) =>
      Object.hasOwn(metrics, metric) ? [{ day: date.slice(5), value: metrics[metric] ?? '' }] : [],
    );
  const chart = metricChart(metric, values);
  return chart === null ? null : paragraphs(`${code(metric)} from ferry to ferry:`, chart);
}

function costPart(launches: readonly Launch[], period: Period): string {
  const periods = [...new Set(launches.map(({ date }) => periodOf(period, date)))].toSorted().toReversed();
  const rows = periods.slice(0, SHOWN_PERIODS_MAX[period]).map((one) => {
    const inIt = launchesIn(launches, period, period === 'month' ? `${one}-01` : one);
    return [one, String(inIt.length), text(costOf(inIt) ?? 'not known')];
  });
  return table(
    [period === 'week' ? 'Week from' : 'Month', 'Launches', 'Accelerator-hours'],
    rows,
    rows.length,
  );
}
