/** When a schedule fires: five-field cron in UTC, as in `on.schedule`. */

import { isValidCron } from '@actions/workflow-parser/model/converter/cron';
import { Cron } from 'croner';
import { actions } from '../../limits/limits.ts';

/** Whether a text is a cron line that both GitHub (five fields, no seconds, no nicknames) and this parser accept. */
export function isCron(line: string): boolean {
  if (!isValidCron(line)) return false;
  try {
    parseCron(line);
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/**
 * The newest moment in `(afterMs, untilMs]` (UTC milliseconds) at which the line fires, or null. Only the newest one,
 * because GitHub drops schedules that it is too late for: a clock that jumps by a day makes one run.
 */
export function newestDueMs(line: string, afterMs: number, untilMs: number): number | null {
  const next = nextDueMs(line, afterMs);
  if (next === null || next > untilMs) return null;
  // `previousRuns` counts back from its reference and excludes it, so add one minute.
  const reference = new Date(Math.floor(untilMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS);
  const [newest] = parseCron(line).previousRuns(1, reference);
  if (newest === undefined || newest.getTime() <= afterMs || newest.getTime() > untilMs) return null;
  return newest.getTime();
}

/** The next moment after `afterMs` (UTC milliseconds) at which the line fires; null when it never does. */
export function nextDueMs(line: string, afterMs: number): number | null {
  const known = lastFound.get(line);
  if (known !== undefined && known.afterMs <= afterMs && afterMs < (known.nextMs ?? Number.POSITIVE_INFINITY))
    return known.nextMs;
  const nextMs = parseCron(line).nextRun(new Date(afterMs))?.getTime() ?? null;
  if (lastFound.size >= actions.cronLinesRemembered) lastFound.clear();
  lastFound.set(line, { afterMs, nextMs });
  return nextMs;
}

const MINUTE_MS = 60_000;

/**
 * A cache: the last result for a line is valid for every moment up to it. Each calendar search costs a millisecond, and
 * a fast clock asks thousands of times.
 */
const lastFound = new Map<string, { readonly afterMs: number; readonly nextMs: number | null }>();

/** `sloppyRanges`: `20/15`, an example in GitHub's documentation, is every 15 minutes from minute 20 on. */
function parseCron(line: string): Cron {
  return new Cron(line, { timezone: 'UTC', mode: '5-part', sloppyRanges: true });
}
