/** The ferries of a lane as a table: one row each, newest first. */

import type { RentedMoney } from '../domain/launch/spending.ts';
import { limits } from '../domain/limits.ts';
import type { PastRow } from '../domain/past-row.ts';
import { dollarText } from './dollars.ts';
import { safeUrl } from './escape.ts';
import { code, paragraphs, table, text } from './words.ts';

/** Weeks and months whose cost is told: a quarter, and half a year. */
export const SHOWN_PERIODS_MAX = { week: 13, month: 6 } as const;

/** Markdown, with every row that is given; where it is to fit a comment, with as many of the newest as there is room for. */
export function historyTable(rows: readonly PastRow[], charsMax = Number.POSITIVE_INFINITY): string {
  if (rows.length === 0) return 'No run is on record.';
  const cells = rows.map(cellsOf);
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

function cellsOf(row: PastRow): readonly string[] {
  return [
    code(row.run),
    changesCell(row),
    row.base === null ? 'the target branch' : code(row.base),
    row.status === null ? row.verdict : `${row.verdict} (${row.status})`,
    metricsCell(row),
    costCell(row),
    whereCell(row),
  ];
}

function changesCell({ changes }: PastRow): string {
  if (changes === null) return 'not known yet';
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  return (
    changes
      .slice(0, limits.shownMetricsMax)
      .map(({ knob, before, after }) => `${code(knob)} ${value(before)} to ${value(after)}`)
      .join(', ') || 'nothing'
  );
}

function metricsCell({ metrics }: PastRow): string {
  const shown = Object.entries(metrics).slice(0, limits.shownMetricsMax);
  return shown.map(([key, value]) => `${text(key)} ${text(value)}`).join(', ') || 'none';
}

function whereCell({ issue, pull, tracker }: PastRow): string {
  const threads = issue === pull ? `#${issue}` : `#${issue}, #${pull}`;
  const url = tracker === null ? null : safeUrl(tracker);
  return url === null ? threads : `${threads}, ${url}`;
}

function costCell({ launches, acceleratorHours, microdollars }: PastRow): string {
  if (launches === 0) return 'not launched';
  const cost = acceleratorHours === null ? 'not known' : text(acceleratorHours);
  const rented = microdollars === null ? '' : `, $${dollarText(microdollars)} rented`;
  return `${launches === 1 ? cost : `${cost} (${launches} launches)`}${rented}`;
}

/** What the runs have rented by day and by month, the newest first; null where they rented nothing. */
export function rentedTables(rented: readonly RentedMoney[]): string | null {
  if (rented.length === 0) return null;
  return paragraphs(periodTable('Day', rented, 10), periodTable('Month', rented, 7));
}

/** `characters`: so much of a date names the period. */
function periodTable(title: 'Day' | 'Month', rented: readonly RentedMoney[], characters: number): string {
  const periods = [...new Set(rented.map(({ date }) => date.slice(0, characters)))].toSorted().toReversed();
  const shown = periods.slice(0, SHOWN_PERIODS_MAX.month);
  const rows = shown.map((period) => {
    const inIt = rented.filter(({ date }) => date.startsWith(period));
    const microdollars = inIt.reduce((sum, one) => sum + one.microdollars, 0);
    return [period, String(inIt.length), `$${dollarText(microdollars)}`];
  });
  return table([title, 'Runs that rented', 'Dollars'], rows, rows.length);
}
