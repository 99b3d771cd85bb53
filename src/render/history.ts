/** The ferries of a lane as a table: one row each, newest first. */

import { limits } from '../domain/limits.ts';
import type { PastRow } from '../domain/past-row.ts';
import { safeUrl } from './escape.ts';
import { code, table, text } from './words.ts';

/** Markdown, with every row that is given. */
export function historyTable(rows: readonly PastRow[]): string {
  if (rows.length === 0) return 'No run is on record.';
  return table(
    ['Run', 'New in it', 'Started from', 'Verdict', 'Metrics', 'Accelerator-hours', 'Where'],
    rows.map((row) => [
      code(row.run),
      changesCell(row),
      row.base === null ? 'the target branch' : code(row.base),
      row.status === null ? row.verdict : `${row.verdict} (${row.status})`,
      metricsCell(row),
      row.acceleratorHours === null ? 'not launched' : text(row.acceleratorHours),
      whereCell(row),
    ]),
    rows.length,
  );
}

function changesCell({ changes }: PastRow): string {
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
