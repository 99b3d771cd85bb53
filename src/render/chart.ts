/** Lines as Mermaid charts: the loss over the steps of a run, and a metric from run to run. */

import { limits } from '../domain/limits.ts';
import type { TracePoint } from '../domain/logbook/run-state.ts';

const LOSS_DRAWN_MAX = 1e12;

type Point = { readonly step: number; readonly loss: number };

/**
 * A `xychart-beta` block, or null while there are too few points. Mermaid spaces a line's points evenly, so that the
 * curve is read off at even steps, straight between neighbours, as a line chart would draw it anyway. `expected`: a level
 * that people wrote down before, as a second line.
 */
export function lossChart(trace: readonly TracePoint[], expected: number | null = null): string | null {
  const points = pointsOf(trace);
  const first = points[0];
  const last = points.at(-1);
  if (points.length < limits.chartPointsMin || first === undefined || last === undefined) return null;
  const columns = limits.chartPointsMax;
  const width = last.step - first.step;
  const losses = Array.from({ length: columns }, (_, column) =>
    lossAt(points, first.step + (width * column) / (columns - 1)),
  );
  const level = expected === null ? [] : [losses.map(() => expected)];
  const name = expected === null ? 'train loss' : 'train loss, and the pre-registered one';
  return xyChart(`  x-axis "step" ${first.step} --> ${last.step}`, name, [losses, ...level]);
}

/** A metric from run to run, oldest first, by the day of each; null while too few runs have it. */
export function metricChart(
  key: string,
  values: readonly { readonly day: string; readonly value: string }[],
): string | null {
  const points = values.filter(({ value }) => value.trim() !== '' && Number.isFinite(Number(value)));
  if (points.length < limits.chartPointsMin) return null;
  return xyChart(
    `  x-axis [${points.map(({ day }) => `"${day}"`).join(', ')}]`,
    // A name of the lab's in a text of Mermaid's own: nothing that could end it.
    key.replace(/[^\p{L}\p{N} _./:-]/gu, '_'),
    [points.map(({ value }) => Number(value))],
  );
}

/** Lines over one x-axis, with room above and below. */
function xyChart(xAxis: string, name: string, lines: readonly (readonly number[])[]): string {
  const low = Math.min(...lines.flat());
  const high = Math.max(...lines.flat());
  const margin = (high - low) * 0.05 || Math.max(Math.abs(high) * 0.05, 0.001);
  return [
    '```mermaid',
    'xychart-beta',
    xAxis,
    `  y-axis "${name}" ${decimal(low - margin)} --> ${decimal(high + margin)}`,
    ...lines.map((values) => `  line [${values.map(decimal).join(', ')}]`),
    '```',
  ].join('\n');
}

/** Finite points by step; where a resumed job passed a step again, the later word counts. */
function pointsOf(trace: readonly TracePoint[]): readonly Point[] {
  const bySteps = new Map<number, Point>();
  for (const { step, loss } of trace)
    if (Number.isFinite(Number(loss)) && loss.trim() !== '') bySteps.set(step, { step, loss: Number(loss) });
  return [...bySteps.values()].toSorted((a, b) => a.step - b.step);
}

function lossAt(points: readonly Point[], step: number): number {
  const right = points.find((point) => point.step >= step) ?? points.at(-1);
  const left = points.findLast((point) => point.step <= step) ?? points[0];
  if (right === undefined || left === undefined) throw new Error('a chart without points');
  if (right.step === left.step) return right.loss;
  return left.loss + ((right.loss - left.loss) * (step - left.step)) / (right.step - left.step);
}

// Mermaid reads no exponents, which a loss that has run away would be printed with.
function decimal(value: number): string {
  return Math.max(-LOSS_DRAWN_MAX, Math.min(LOSS_DRAWN_MAX, value)).toFixed(4);
}
