/** Moments and dates as text, without reading a clock: everything here is a function of its argument. */

import { branded, type Instant, isInstant } from './ids.ts';

const MS_PER_DAY = 86_400_000;

/** RFC 3339 in UTC with milliseconds, as events carry it: `2026-11-21T03:09:00.000Z`. */
export function toRfc3339(at: Instant): string {
  return new Date(at).toISOString();
}

/** The moment that an RFC 3339 text names, or null where it names none since 1970: people and jobs write any. */
export function fromRfc3339(text: string): Instant | null {
  return momentOfMs(Date.parse(text));
}

/** The moment so many milliseconds after 1970; null of what is none, as a job, a tracker or a commit may say. */
export function momentOfMs(ms: number): Instant | null {
  const whole = Math.trunc(ms);
  return isInstant(whole) ? whole : null;
}

/** The UTC calendar date, `2026-11-21`. */
export function dateOf(at: Instant): string {
  return toRfc3339(at).slice(0, 10);
}

/** The UTC calendar date without dashes, `20261121`, as tags and run ids carry it. */
export function compactDate(date: string): string {
  return date.replaceAll('-', '');
}

/** The UTC time of day, `06:30`. */
export function timeOf(at: Instant): string {
  return toRfc3339(at).slice(11, 16);
}

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The day of the week of a calendar date. */
export function weekdayOf(date: string): Weekday {
  const day = WEEKDAYS[new Date(Date.parse(`${date}T00:00:00Z`)).getUTCDay()];
  if (day === undefined) throw new Error(`${date} is no date`);
  return day;
}

/** A moment later by a number of milliseconds. */
export function after(at: Instant, durationMs: number): Instant {
  return branded(Math.trunc(at + durationMs), isInstant);
}

/** Midnight UTC of a calendar date that is `days` away. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * MS_PER_DAY).toISOString().slice(0, 10);
}
