/** The past runs of a lane: a table, charts, and the issue of the lane. */

import { limits } from '../domain/limits.ts';
import type { CoursePoint, TracePoint } from '../domain/logbook/run-state.ts';
import { type Marker, markerText } from '../domain/marker.ts';
import {
  filterByPeriod,
  type Launch,
  type PastRow,
  PERIODS,
  type Period,
  periodContaining,
  type RentedMoney,
  sumCost,
} from '../domain/past-runs.ts';
import { formatMicrodollars } from '../domain/values.ts';
import { code, measured, paragraphs, safeUrl, table, text } from './words.ts';

/** Points that a chart draws: more would touch each other at the width of a comment. */
const CHART_POINTS_MAX = 40;
/** A line needs three points to have a shape. */
const CHART_POINTS_MIN = 3;

const LOSS_DRAWN_MAX = 1e12;

type Point = { readonly step: number; readonly value: number };

/** A `xychart-beta` block, or null for too few points. Mermaid spaces points evenly, so the curve is interpolated at even steps. */
export function renderLossChart(trace: readonly TracePoint[], expected: number | null = null): string | null {
  const points = parsePoints(trace.map(({ step, loss }) => ({ step, text: loss })));
  const name = expected === null ? 'train loss' : 'train loss, and the pre-registered one';
  return overSteps(points, name, (step) => [interpolate(points, step), ...(expected === null ? [] : [expected])]);
}

/** The rate of the job, in tokens if its log counts them, else in steps; null with too few values. */
export function renderPaceChart(paces: readonly CoursePoint[]): string | null {
  const tokens = parsePoints(paces.map(({ step, tokensPerSecond }) => ({ step, text: tokensPerSecond ?? '' })));
  if (tokens.length >= CHART_POINTS_MIN)
    return overSteps(tokens, 'tokens a second', (step) => [interpolate(tokens, step)]);
  const steps = parsePoints(paces.map(({ step, secondsPerStep }) => ({ step, text: secondsPerStep ?? '' })))
    .filter(({ value }) => value > 0)
    .map(({ step, value }) => ({ step, value: 1 / value }));
  return overSteps(steps, 'steps a second', (step) => [interpolate(steps, step)]);
}

/**
 * The step and the newest complete checkpoint: the distance is the cost of a crash. Null without a checkpoint.
 */
export function renderCheckpointChart(paces: readonly CoursePoint[]): string | null {
  if (paces.every(({ checkpointStep }) => checkpointStep === null)) return null;
  const seen = [...new Map(paces.map((one) => [one.step, one])).values()].toSorted((a, b) => a.step - b.step);
  const savedStepAt = (step: number): number =>
    seen.findLast((one) => one.step <= step && one.checkpointStep !== null)?.checkpointStep ?? 0;
  return overSteps(seen, 'step, and its newest complete checkpoint', (step) => [step, savedStepAt(step)]);
}

/** Lines at even steps between the first and the last point; null with too few. */
function overSteps(
  points: readonly Pick<Point, 'step'>[],
  name: string,
  valuesAt: (step: number) => readonly number[],
): string | null {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < CHART_POINTS_MIN || first === undefined || last === undefined) return null;
  const width = last.step - first.step;
  const rows = Array.from({ length: CHART_POINTS_MAX }, (_, column) =>
    valuesAt(first.step + (width * column) / (CHART_POINTS_MAX - 1)),
  );
  const lines = (rows[0] ?? []).map((_, line) => rows.map((values) => values[line] ?? 0));
  return renderXyChart(`  x-axis "step" ${first.step} --> ${last.step}`, name, lines);
}

/** A metric from run to run, oldest first, by the day of each; null while too few runs have it. */
function renderMetricChart(
  key: string,
  values: readonly { readonly day: string; readonly value: string }[],
): string | null {
  const points = values.filter(({ value }) => value.trim() !== '' && Number.isFinite(Number(value)));
  if (points.length < CHART_POINTS_MIN) return null;
  return renderXyChart(
    `  x-axis [${points.map(({ day }) => `"${day}"`).join(', ')}]`,
    // A name of the lab must not end the Mermaid text.
    key.replace(/[^\p{L}\p{N} _./:-]/gu, '_'),
    [points.map(({ value }) => Number(value))],
  );
}

/** Lines over one x-axis, with room above and below. */
function renderXyChart(xAxis: string, name: string, lines: readonly (readonly number[])[]): string {
  const low = Math.min(...lines.flat());
  const high = Math.max(...lines.flat());
  const margin = (high - low) * 0.05 || Math.max(Math.abs(high) * 0.05, 0.001);
  return [
    '```mermaid',
    'xychart-beta',
    xAxis,
    `  y-axis "${name}" ${formatDecimal(low - margin)} --> ${formatDecimal(high + margin)}`,
    ...lines.map((values) => `  line [${values.map(formatDecimal).join(', ')}]`),
    '```',
  ].join('\n');
}

/** Finite points by step; if a resumed job repeated a step, the later value counts. */
function parsePoints(printed: readonly { readonly step: number; readonly text: string }[]): readonly Point[] {
  const bySteps = new Map<number, Point>();
  for (const { step, text } of printed)
    if (Number.isFinite(Number(text)) && text.trim() !== '') bySteps.set(step, { step, value: Number(text) });
  return [...bySteps.values()].toSorted((a, b) => a.step - b.step);
}

function interpolate(points: readonly Point[], step: number): number {
  const right = points.find((point) => point.step >= step) ?? points.at(-1);
  const left = points.findLast((point) => point.step <= step) ?? points[0];
  if (right === undefined || left === undefined) throw new Error('a chart without points');
  if (right.step === left.step) return right.value;
  return left.value + ((right.value - left.value) * (step - left.step)) / (right.step - left.step);
}

// Mermaid reads no exponents, which a diverged loss would have.
function formatDecimal(value: number): string {
  return Math.max(-LOSS_DRAWN_MAX, Math.min(LOSS_DRAWN_MAX, value)).toFixed(4);
}

/** Weeks and months in the cost tables: a quarter, and half a year. */
const SHOWN_PERIODS_MAX = { week: 13, month: 6 } as const;

/** Markdown with every row, or with as many of the newest as fit `charsMax`. */
export function renderHistoryTable(rows: readonly PastRow[], charsMax = Number.POSITIVE_INFINITY): string {
  if (rows.length === 0) return 'No run is on record.';
  const cells = rows.map(historyCells);
  let room = charsMax;
  const tooFar = cells.findIndex((row) => {
    room -= row.join(' | ').length;
    return room < 0;
  });
  return table(
    ['Run', 'New in it', 'Started from', 'Verdict', 'Metrics', 'Accelerator-hours', 'Where'],
    cells,
    tooFar < 0 ? cells.length : tooFar,
  );
}

function historyCells(row: PastRow): readonly string[] {
  return [
    code(row.run),
    formatChanges(row),
    row.base === null ? 'the target branch' : code(row.base),
    row.status === null ? row.verdict : `${row.verdict} (${row.status})`,
    formatMetrics(row),
    formatCost(row),
    formatLinks(row),
  ];
}

function formatChanges({ changes }: PastRow): string {
  if (changes === null) return 'not known yet';
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  return (
    changes
      .slice(0, limits.shownMetricsMax)
      .map(({ knob, before, after }) => `${code(knob)} ${value(before)} to ${value(after)}`)
      .join(', ') || 'nothing'
  );
}

function formatMetrics({ metrics }: PastRow): string {
  const shown = Object.entries(metrics).slice(0, limits.shownMetricsMax);
  return shown.map(([key, value]) => `${text(key)} ${measured(value)}`).join(', ') || 'none';
}

function formatLinks({ issue, pull, tracker }: PastRow): string {
  const threads = issue === pull ? `#${issue}` : `#${issue}, #${pull}`;
  const url = tracker === null ? null : safeUrl(tracker);
  return url === null ? threads : `${threads}, ${url}`;
}

function formatCost({ launches, acceleratorHours, microdollars }: PastRow): string {
  if (launches === 0) return 'not launched';
  const cost = acceleratorHours === null ? 'not known' : text(acceleratorHours);
  const rented = microdollars === null ? '' : `, ${formatMicrodollars(microdollars)} rented`;
  return `${launches === 1 ? cost : `${cost} (${launches} launches)`}${rented}`;
}

/** The cost of rented machines by day and by month, the newest first; null without any. */
export function renderRentedTables(rented: readonly RentedMoney[]): string | null {
  if (rented.length === 0) return null;
  const dollars = (date: string): readonly string[] => {
    const inIt = rented.filter((one) => one.date.startsWith(date));
    return [String(inIt.length), formatMicrodollars(inIt.reduce((sum, one) => sum + one.microdollars, 0))];
  };
  const tableOf = (title: string, characters: number): string => {
    const dates = rented.map(({ date }) => date.slice(0, characters));
    return renderPeriodTable([title, 'Runs that rented', 'Dollars'], dates, SHOWN_PERIODS_MAX.month, dollars);
  };
  return paragraphs(tableOf('Day', 10), tableOf('Month', 7));
}

function renderPeriodTable(
  head: readonly string[],
  all: readonly string[],
  most: number,
  cells: (period: string) => readonly string[],
): string {
  const periods = [...new Set(all)].toSorted().toReversed().slice(0, most);
  const rows = periods.map((period) => [period, ...cells(period)]);
  return table(head, rows, rows.length);
}

type LaneHistory = {
  readonly lane: string;
  /** Newest first. */
  readonly rows: readonly PastRow[];
  /** The metric of the chart; null without key metrics. */
  readonly metric: string | null;
  /** All launches of those runs and earlier ones, in no order. */
  readonly launches: readonly Launch[];
  readonly rented: readonly RentedMoney[];
};

/** The marker of the only issue about a lane. */
export function buildLaneIssueMarker(lane: string): Marker {
  return { run: 'journal', kind: 'issue', key: `lane-${lane}`, fields: {} };
}

/** The title of the lane's issue. */
export function laneIssueTitle(lane: string): string {
  return `Lane ${text(lane)}: its ferries`;
}

/** The source of the description before the first ferry. */
export function renderLaneWithoutRuns(lane: string): string {
  return renderFramed(
    lane,
    `The lane ${code(lane)} has had no ferry yet. Until then, ferrybot comments here on each day of its schedule why there is none.`,
  );
}

/** The source of the description. It contains no time, so that it changes only with its content. */
export function renderLaneHistory({ lane, rows, metric, launches, rented }: LaneHistory): string {
  const shown = rows.length === limits.historyRows ? `the last ${limits.historyRows}` : 'all of them';
  return renderFramed(
    lane,
    paragraphs(
      `The ferries of the lane ${code(lane)} that are over, ${shown}, newest first. This is a copy of the logbook; each run of the workflow that proposes updates it. \`/status lane=${lane}\` shows the current state, in any thread.`,
      renderHistoryTable(rows, limits.historyCharsMax),
      renderChart(rows, metric),
      ...PERIODS.map((period) => renderCosts(launches, period)),
      renderRentedTables(rented),
    ),
  );
}

function renderFramed(lane: string, content: string): string {
  return `${markerText(buildLaneIssueMarker(lane))}\n🤖 ${content}`;
}

function renderChart(rows: readonly PastRow[], metric: string | null): string | null {
  if (metric === null) return null;
  const values = rows
    .toReversed()
    .flatMap(({ date, metrics }) =>
      Object.hasOwn(metrics, metric) ? [{ day: date.slice(5), value: metrics[metric] ?? '' }] : [],
    );
  const chart = renderMetricChart(metric, values);
  return chart === null ? null : paragraphs(`${code(metric)} from ferry to ferry:`, chart);
}

function renderCosts(launches: readonly Launch[], period: Period): string {
  return renderPeriodTable(
    [period === 'week' ? 'Week from' : 'Month', 'Launches', 'Accelerator-hours'],
    launches.map(({ date }) => periodContaining(period, date)),
    SHOWN_PERIODS_MAX[period],
    (one) => {
      const inIt = filterByPeriod(launches, period, period === 'month' ? `${one}-01` : one);
      return [String(inIt.length), text(sumCost(inIt) ?? 'not known')];
    },
  );
}
