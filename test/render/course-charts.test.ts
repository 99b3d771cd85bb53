/** The charts of a run of weeks: its speed, and how far its newest checkpoint is behind. */

import { describe, expect, it } from 'vitest';
import { type CoursePoint, TRACE_POINTS_MAX } from '../../src/domain/logbook/run-state.ts';
import { renderCheckpointChart, renderPaceChart } from '../../src/render/lane-history.ts';
import { parseChart } from '../support/parse-chart.ts';
import { aRun } from '../support/run-builder.ts';
import { bob } from '../support/run-drafts.ts';

const point = (step: number, change: Partial<CoursePoint> = {}): CoursePoint => ({
  step,
  tokensPerSecond: null,
  secondsPerStep: null,
  checkpointStep: null,
  ...change,
});

/** The numbers of each line. */
function linesOf(chart: string | null): readonly (readonly number[])[] {
  return [...(chart ?? '').matchAll(/^ {2}line \[(.*)\]$/gm)].map(([, numbers = '']) =>
    numbers.split(', ').map(Number),
  );
}

async function isRead(chart: string | null): Promise<boolean> {
  const source = (chart ?? '').replace(/```(?:mermaid)?/g, '').replace(/"[^"]*" /g, '');
  return (await parseChart(source.trim())) === 'xychart';
}

describe('the chart of the pace', () => {
  it('is in tokens if the log counts them, and in steps otherwise', async () => {
    const both = [0, 100, 200].map((step) => point(step, { tokensPerSecond: `${1e6 - step}`, secondsPerStep: '2' }));
    const tokens = renderPaceChart(both);
    expect(tokens).toContain('y-axis "tokens a second"');
    expect(linesOf(tokens)[0]?.[0]).toBe(1e6);
    expect(linesOf(tokens)[0]?.at(-1)).toBe(999_800);
    const steps = renderPaceChart(both.map((one) => ({ ...one, tokensPerSecond: null })));
    expect(steps).toContain('y-axis "steps a second"');
    expect(new Set(linesOf(steps)[0])).toEqual(new Set([0.5]));
    for (const chart of [tokens, steps]) expect(await isRead(chart)).toBe(true);
  });

  it('is absent until enough points exist, and skips values that are not numbers', () => {
    const odd = ['nan', '', '0', '2'].map((secondsPerStep, step) => point(step, { secondsPerStep }));
    expect(renderPaceChart(odd)).toBeNull();
    expect(renderPaceChart([])).toBeNull();
  });
});

describe('the chart of the checkpoints', () => {
  it('shows the newest complete checkpoint, which stays constant until the next one', async () => {
    const seen = [point(0), point(500, { checkpointStep: 400 }), point(1_000, { checkpointStep: 400 })];
    const chart = renderCheckpointChart([...seen, point(1_300, { checkpointStep: 1_200 })]);
    const [steps = [], saved = []] = linesOf(chart);
    expect([steps[0], steps.at(-1)]).toEqual([0, 1_300]);
    expect([...new Set(saved)]).toEqual([0, 400, 1_200]);
    expect(await isRead(chart)).toBe(true);
    expect(renderCheckpointChart([0, 100, 200].map((step) => point(step)))).toBeNull();
  });
});

it('keeps a limited number of points including the newest, for a run of any length', () => {
  let run = aRun().gated().approved(bob).ordered().submitted();
  for (let look = 1; look <= 400; look += 1)
    run = run.observed({ step: look * 10, checkpointStep: look - (look % 50) });
  const { paces } = run.state;
  expect(paces.length).toBeLessThanOrEqual(TRACE_POINTS_MAX);
  expect(paces.at(-1)).toMatchObject({ step: 4_000, checkpointStep: 400 });
});
