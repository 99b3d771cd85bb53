/** The judgement on an ended ferry as a table: every condition of a pass, with what was found and what it is held against. */

import { assertNever } from '../domain/assert.ts';
import { limits } from '../domain/limits.ts';
import type { Ending, RunState } from '../domain/logbook/run-state.ts';
import type { MetricRow, RunVerdict } from '../domain/run-verdict.ts';
import { code, count, table, text } from './words.ts';

/** A bar shows three digits. */
const BAR_ROUNDING = 0.005;

/** `pass`, `fail` or `unknown` with its sign. */
export function resultWords(result: RunVerdict['result']): string {
  switch (result) {
    case 'pass':
      return '✅ pass';
    case 'fail':
      return '❌ fail';
    case 'unknown':
      return '❔ unknown';
    default:
      return assertNever(result);
  }
}

/** Status, last step and key metrics; the median is that of the sealed ferries, or runs of the lane, that are named below. */
export function verdictTable(state: RunState, end: Ending, verdict: RunVerdict): string {
  const { contract, observation } = state;
  const [one, many] = contract === null ? ['sealed ferry', 'sealed ferries'] : ['sealed run', 'sealed runs'];
  const rows = [
    ['status', `\`${end.status}\``, '`SUCCEEDED`', resultWords(verdict.statusOk ? 'pass' : 'fail')],
    [
      'last step',
      lastStepText(verdict.lastStep, observation),
      expectedStepText(verdict.expectedStep),
      resultWords(verdict.stepOutcome),
    ],
    ...verdict.rows.map(metricCells),
  ];
  const compared =
    verdict.comparedWith.length === 0
      ? `No ${one} to compare with yet.`
      : `Median of ${count(verdict.comparedWith.length, one, many)}: ${verdict.comparedWith.map(code).join(', ')}.`;
  return `${table(['Checked', 'Found', 'Wanted', 'Result'], rows)}\n\n${compared}`;
}

/** The key metrics in one line, for the terminal form: `eval/loss 3.46797 (0.2 % worse than the median)`. */
export function metricsLine(end: Ending, verdict: RunVerdict | null): string {
  const rows = verdict?.rows ?? [];
  if (rows.length > 0)
    return rows
      .map(
        (row) => `${text(row.key)} ${row.value === null ? 'not found' : text(row.value)}${comparison(row)}`,
      )
      .join(', ');
  const metrics = Object.entries(end.metrics).slice(0, limits.shownMetricsMax);
  return metrics.map(([key, value]) => `${text(key)} ${text(value)}`).join(', ') || 'no metrics were found';
}

function metricCells(row: MetricRow): readonly string[] {
  const wanted =
    row.median === null
      ? 'no median yet'
      : `within ${text(row.tolerancePercent)} % of ${text(shortNumber(row.median))}`;
  const found = row.value === null ? 'not found' : `${text(row.value)}${comparison(row)}`;
  return [code(row.key), found, wanted, metricResult(row.outcome)];
}

function metricResult(outcome: MetricRow['outcome']): string {
  return outcome === 'no-baseline' ? '⚠️ nothing to compare with' : resultWords(outcome);
}

function comparison({ worsePercent }: MetricRow): string {
  if (worsePercent === null) return '';
  if (!Number.isFinite(worsePercent)) return ' (worse than a median of 0)';
  const size = Math.abs(worsePercent).toFixed(2);
  return Number(size) === 0
    ? ' (as the median)'
    : ` (${size} % ${worsePercent > 0 ? 'worse' : 'better'} than the median)`;
}

function expectedStepText(expected: number | null): string {
  return expected === null ? 'unknown' : `at least ${expected - limits.finalStepSlack} of ${expected}`;
}

/** The exact one that is judged, and how far the job was seen where that was further: metrics are told at evals alone. */
export function lastStepText(exact: number | null, observation: RunState['observation']): string {
  const { step: seen = null, stepIsExact = false } = observation ?? {};
  if (exact === null) return 'unknown';
  const rounding = stepIsExact ? 0 : (seen ?? 0) * BAR_ROUNDING;
  return seen === null || seen - exact <= Math.max(limits.finalStepSlack, rounding)
    ? String(exact)
    : `${exact} by its metrics, ${stepIsExact ? '' : '~'}${seen} by its log`;
}

// A median of two is a mean and carries the noise of binary fractions.
function shortNumber(decimal: string): string {
  const value = Number(decimal);
  return Number.isFinite(value) ? String(Number(value.toPrecision(8))) : decimal;
}
