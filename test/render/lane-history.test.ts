/** The issue of a lane: a chart that Mermaid reads, a table that fits a comment, and sums that are exact. */

import mermaid from 'mermaid';
import { describe, expect, it } from 'vitest';
import { costOf, launchesIn, periodOf, type RentedMoney } from '../../src/domain/launch/spending.ts';
import type { PastRow } from '../../src/domain/past-row.ts';
import { metricChart } from '../../src/render/chart.ts';
import { historyTable, rentedTables } from '../../src/render/history.ts';
import { renderLaneHistory } from '../../src/render/lane-history.ts';

const row = (day: number, change: Partial<PastRow> = {}): PastRow => ({
  run: `ferry-daily-202611${String(day).padStart(2, '0')}`,
  lane: 'daily',
  date: `2026-11-${String(day).padStart(2, '0')}`,
  base: null,
  changes: [{ knob: 'learning_rate', before: '3e-3', after: '2e-3' }],
  status: 'SUCCEEDED',
  verdict: 'pass',
  metrics: { 'eval/loss': `3.${day}` },
  launches: 1,
  acceleratorHours: '2.5',
  issue: 2 * day,
  pull: 2 * day + 1,
  tracker: null,
  microdollars: null,
  ...change,
});
const launch = (date: string, acceleratorHours: string | null = '2.5') => ({ date, acceleratorHours });

describe('the history of a lane', () => {
  it('is table, chart and cost by week and month', () => {
    const rows = [row(24), row(23, { status: 'FAILED', verdict: 'failed', metrics: {} }), row(22), row(21)];
    const launches = ['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'].map((date) => launch(date));
    const history = { lane: 'daily', rows, metric: 'eval/loss', launches, rented: [] };
    expect(renderLaneHistory(history)).toMatchSnapshot();
  });

  it('tells what was rented by day and by month, and nothing where nothing was', () => {
    const rented = [
      ['2026-10-31', 4_000_000],
      ['2026-11-01', 1_250_000],
      ['2026-11-01', 500_000],
    ].map(([date, microdollars]) => ({ lane: 'gpu', cluster: 'market', date, microdollars }) as RentedMoney);
    expect(rentedTables(rented)).toMatchInlineSnapshot(`
      "| Day | Runs that rented | Dollars |
      |---|---|---|
      | 2026-11-01 | 2 | $1.75 |
      | 2026-10-31 | 1 | $4.00 |

      | Month | Runs that rented | Dollars |
      |---|---|---|
      | 2026-11 | 2 | $1.75 |
      | 2026-10 | 1 | $4.00 |"
    `);
    expect(rentedTables([])).toBe(null);
  });

  it('has a chart that Mermaid reads, whatever the metric is called', async () => {
    const values = [21, 22, 23].map((day) => ({ day: `11-${day}`, value: `3.${day}` }));
    for (const key of ['eval/loss', '"] \n line [1] %% ```']) {
      const chart = metricChart(key, values) ?? '';
      expect(chart.match(/```/g)).toHaveLength(2);
      const [, , xAxis = '', yAxis = ''] = chart.split('\n');
      expect(xAxis).toBe('  x-axis ["11-21", "11-22", "11-23"]');
      expect(yAxis).toMatch(/^ {2}y-axis "[^"`;%\n]*" -?[\d.]+ --> -?[\d.]+$/);
      // Names and days go through a sanitizer that needs a browser.
      const source = chart
        .replace(/```(?:mermaid)?/g, '')
        .replace(/x-axis .*/, 'x-axis 1 --> 3')
        .replace(/"[^"]*" /g, '');
      expect(await mermaid.parse(source.trim())).toMatchObject({ diagramType: 'xychart' });
    }
    expect(metricChart('eval/loss', values.slice(1))).toBe(null);
    expect(metricChart('eval/loss', [...values.slice(1), { day: '11-24', value: 'nan' }])).toBe(null);
  });

  it('fits a comment with the longest values, and says how many rows are left out', () => {
    const long = '`|<@alice>'.repeat(40);
    const changes = Array.from({ length: 8 }, () => ({ knob: long, before: long, after: long }));
    const rows = Array.from({ length: 30 }, (_, index) => row(index + 1, { changes }));
    const told = historyTable(rows, 40_000);
    expect(told.length).toBeLessThan(60_000);
    expect(told).toMatch(/\d+ more in the logbook\.$/);
    expect(historyTable(rows)).not.toContain('more in the logbook');
  });

  it('adds up exactly, weeks from Monday and months, and says where a cost is not known', () => {
    expect(
      costOf([launch('2026-11-21', '0.1'), launch('2026-11-22', '0.25'), launch('2026-11-23', '2')]),
    ).toBe('2.35');
    expect(costOf([launch('2026-11-21'), launch('2026-11-22', null)])).toBe(null);
    expect(
      ['2026-11-15', '2026-11-16', '2026-11-22', '2026-11-23'].map((day) => periodOf('week', day)),
    ).toEqual(['2026-11-09', '2026-11-16', '2026-11-16', '2026-11-23']);
    const all = [launch('2026-10-31'), launch('2026-11-01'), launch('2026-11-30')];
    expect(launchesIn(all, 'month', '2026-11-12')).toHaveLength(2);
  });
});
