/** When a schedule fires: five-field cron in UTC, as `on.schedule` has it. */

import { Cron } from 'croner';

/** Whether a text is a cron line that GitHub takes (five fields, no seconds, no nicknames). */
export function isCron(line: string): boolean {
  if (line.trim().split(/\s+/).length !== 5) return false;
  try {
    new Cron(line, { timezone: 'UTC', mode: '5-part' });
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/**
 * The newest moment in `(afterMs, untilMs]` (UTC milliseconds) at which the line fires, or null.
 * Only the newest: GitHub drops fires that it was too late for, and a clock that jumped a day makes one run, not many.
 */
export function newestDueMs(line: string, afterMs: number, untilMs: number): number | null {
  const cron = new Cron(line, { timezone: 'UTC', mode: '5-part' });
  // `previousRuns` counts back from its reference and leaves the reference out, hence the minute that is added.
  const [newest] = cron.previousRuns(1, new Date(Math.floor(untilMs / 60_000) * 60_000 + 60_000));
  if (newest === undefined || newest.getTime() <= afterMs || newest.getTime() > untilMs) return null;
  return newest.getTime();
}

/** The next moment after `afterMs` (UTC milliseconds) at which the line fires; null when it never does. */
export function nextDueMs(line: string, afterMs: number): number | null {
  const cron = new Cron(line, { timezone: 'UTC', mode: '5-part' });
  return cron.nextRun(new Date(afterMs))?.getTime() ?? null;
}
