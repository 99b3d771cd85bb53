/** Instants and dates as text; nothing here reads a clock. */

import { branded, type Instant, isInstant } from './ids.ts';

const MS_PER_DAY = 86_400_000;

/** For example `2026-11-21T03:09:00.000Z`, UTC. */
export function toRfc3339(at: Instant): string {
  return new Date(at).toISOString();
}

/** Null if the text is not a time since 1970. */
export function fromRfc3339(text: string): Instant | null {
  return momentOfMs(Date.parse(text));
}

/** Truncates to whole ms; null if not a valid instant. */
export function momentOfMs(ms: number): Instant | null {
  const whole = Math.trunc(ms);
  return isInstant(whole) ? whole : null;
}

/** UTC date, `2026-11-21`. */
export function dateOf(at: Instant): string {
  return toRfc3339(at).slice(0, 10);
}

/** `2026-11-21` → `20261121`, for tags and run ids. */
export function compactDate(date: string): string {
  return date.replaceAll('-', '');
}

/** UTC time, `06:30`. */
export function timeOf(at: Instant): string {
  return toRfc3339(at).slice(11, 16);
}

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Throws for an invalid date. */
export function weekdayOf(date: string): Weekday {
  const day = WEEKDAYS[new Date(Date.parse(`${date}T00:00:00Z`)).getUTCDay()];
  if (day === undefined) throw new Error(`${date} is no date`);
  return day;
}

/** The instant `durationMs` later. */
export function after(at: Instant, durationMs: number): Instant {
  return branded(Math.trunc(at + durationMs), isInstant);
}

/** The UTC date `days` later. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * MS_PER_DAY).toISOString().slice(0, 10);
}
