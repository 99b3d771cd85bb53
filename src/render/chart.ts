/** Lines as Mermaid charts: loss, pace and checkpoints over the steps of a run, and a metric from run to run. */

import type { CoursePoint, TracePoint } from '../domain/logbook/run-state.ts';

/** Points that a chart draws: more would touch each other at the width of a comment. */
export const CHART_POINTS_MAX = 40;
/** A line needs three points to have a shape. */
const CHART_POINTS_MIN = 3;

const LOSS_DRAWN_MAX = 1e12;

type Point = { readonly step: number; readonly value: number };

/**
 * A `xychart-beta` block, or null while there are too few points. Mermaid spaces a line's points evenly, so that the
 * curve is read off at even steps, straight between neighbours, as a line chart would draw it anyway. `expected`: a level
 * that people wrote down before, as a second line.
 */
export function lossChart(trace: readonly TracePoint[], expected: number | null = null): string | null {
  const points = pointsOf(trace.map(({ step, loss }) => ({ step, text: loss })));
  const name = expected === null ? 'train loss' : 'train loss, and the pre-registered one';
  return overSteps(points, name, (step) => [valueAt(points, step), ...(expected === null ? [] : [expected])]);
}

/** How fast the job went, in tokens where its log counts them and in steps elsewhere; null while too few looks tell it. */
export function paceChart(paces: readonly CoursePoint[]): string | null {
  const tokens = pointsOf(paces.map(({ step, tokensPerSecond }) => ({ step, text: tokensPerSecond ?? '' })));
  if (tokens.length >= CHART_POINTS_MIN)
    return overSteps(tokens, 'tokens a second', (step) => [valueAt(tokens, step)]);
  const steps = pointsOf(paces.map(({ step, secondsPerStep }) => ({ step, text: secondsPerStep ?? '' })))
    .filter(({ value }) => value > 0)
    .map(({ step, value }) => ({ step, value: 1 / value }));
  return overSteps(steps, 'steps a second', (step) => [valueAt(steps, step)]);
}

/**
 * The newest complete checkpoint below the step itself: the distance of the two lines is what a crash would cost. Null while
 * there is none.
 */
export function checkpointChart(paces: readonly CoursePoint[]): string | null {
  if (paces.every(({ checkpointStep }) => checkpointStep === null)) return null;
  const seen = [...new Map(paces.map((one) => [one.step, one])).values()].toSorted((a, b) => a.step - b.step);
  const savedAt = (step: number): number =>
    seen.findLast((one) => one.step <= step && one.checkpointStep !== null)?.checkpointStep ?? 0;
  return overSteps(seen, 'step, and its newest complete checkpoint', (step) => [step, savedAt(step)]);
}

/** Lines at even steps between the first and the last point; null where there are too few. */
function overSteps(
  points: readonly Pick<Point, 'step'>[],
  name: string,
  valuesAt: (step: number) => readonly number[],
): string | null {
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < CHART_POINTS_MIN || first === undefined || last === undefined) return null;
  const columns = CHART_POINTS_MAX;
  const width = last.step - first.step;
  const rows = Array.from({ length: columns }, (_, column) =>
    valuesAt(first.step + (width * column) / (columns - 1)),
  );
  const lines = (rows[0] ?? []).map((_, line) => rows.map((values) => values[line] ?? 0));
  return xyChart(`  x-axis "step" ${first.step} --> ${last.step}`, name, lines);
}

/** A metric from run to run, oldest first, by the day of each; null while too few runs have it. */
export function metricChart(
  key: string,
  values: readonly { readonly day: string; readonly value: string }[],
): string | null {
  const points = values.filter(({ value }) => value.trim() !== '' && Number.isFinite(Number(value)));
  if (points.length < CHART_POINTS_MIN) return null;
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
function pointsOf(printed: readonly { readonly step: number; readonly text: string }[]): readonly Point[] {
  const bySteps = new Map<number, Point>();
  for (const { step, text } of printed)
    if (Number.isFinite(Number(text)) && text.trim() !== '') bySteps.set(step, { step, value: Number(text) });
  return [...bySteps.values()].toSorted((a, b) => a.step - b.step);
}

function valueAt(points: readonly Point[], step: number): number {
  const right = points.find((point) => point.step >= step) ?? points.at(-1);
  const left = points.findLast((point) => point.step <= step) ?? points[0];
  if (right === undefined || left === undefined) throw new Error('a chart without points');
  if (right.step === left.step) return right.value;
  return left.value + ((right.value - left.value) * (step - left.step)) / (right.step - left.step);
}

// Mermaid reads no exponents, which a loss that has run away would be printed with.
function decimal(value: number): string {
  return Math.max(-LOSS_DRAWN_MAX, Math.min(LOSS_DRAWN_MAX, value)).toFixed(4);
}
