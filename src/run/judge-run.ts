/** The default verdict on a run. */

import type { LaneConfig } from '../config/lane-schema.ts';
import type { SealedMetrics } from '../domain/facts.ts';
import { limits } from '../domain/limits.ts';
import type { Ending } from '../domain/logbook/run-state.ts';
import type { MetricRow, RunVerdict } from '../domain/run-verdict.ts';

/** Sealed ferries used for the median (policy DF-29). */
const VERDICT_HISTORY_RUNS = 5;

/**
 * Pass: SUCCEEDED, the last step reached (minus `finalStepSlack`), and every metric within tolerance of the median of recent sealed ferries
 * (policy DF-29). A missing metric or step is unknown, which is no pass.
 */
export function judgeRun(end: Ending, lane: LaneConfig, history: readonly SealedMetrics[]): RunVerdict {
  const recent = history.slice(0, VERDICT_HISTORY_RUNS);
  const expectedStep = lane.finalStep ?? end.totalSteps;
  const stepOutcome = judgeStep(end.lastStep, expectedStep);
  const rows = lane.metrics.map((metric) => judgeMetric(metric, end.metrics[metric.key] ?? null, recent));
  const statusOk = end.status === 'SUCCEEDED';
  const outcomes = [statusOk ? 'pass' : 'fail', stepOutcome, ...rows.map((row) => row.outcome)];
  const result = outcomes.includes('fail') ? 'fail' : outcomes.includes('unknown') ? 'unknown' : 'pass';
  return {
    result,
    statusOk,
    expectedStep,
    lastStep: end.lastStep,
    stepOutcome,
    rows,
    comparedWith: recent.map((r) => r.run),
  };
}

function judgeStep(last: number | null, expected: number | null): 'pass' | 'fail' | 'unknown' {
  if (last === null || expected === null) return 'unknown';
  return last >= expected - limits.finalStepSlack ? 'pass' : 'fail';
}

function judgeMetric(
  metric: LaneConfig['metrics'][number],
  value: string | null,
  history: readonly SealedMetrics[],
): MetricRow {
  const base = { key: metric.key, value, tolerancePercent: metric.tolerancePercent };
  const past = history.map((h) => numberOf(h.metrics[metric.key] ?? '')).filter(Number.isFinite);
  const number = numberOf(value ?? '');
  if (!Number.isFinite(number))
    return { ...base, median: null, worsePercent: null, outcome: value === null ? 'unknown' : 'fail' };
  if (past.length === 0) return { ...base, median: null, worsePercent: null, outcome: 'no-baseline' };
  const median = medianOf(past);
  const worse = metric.better === 'lower' ? number - median : median - number;
  const worsePercent =
    median === 0 ? (worse > 0 ? Number.POSITIVE_INFINITY : 0) : (worse / Math.abs(median)) * 100;
  return {
    ...base,
    median: String(median),
    worsePercent,
    outcome: worsePercent <= Number(metric.tolerancePercent) ? 'pass' : 'fail',
  };
}

/** `Number` parses blank text as zero. */
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** The list must not be empty. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (upper + lower) / 2;
}
