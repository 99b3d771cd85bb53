/** Parses times in commands. */

import type { Instant } from '../domain/ids.ts';
import { dateAfter, dateOf, fromRfc3339 } from '../domain/time.ts';

/** The instant of a validated `timeWord`; a time of day is the next one. */
export function momentOf(word: string, now: Instant): Instant {
  const today = dateOf(now);
  const isTimeOfDay = word.length === 'hh:mm'.length;
  const at = fromRfc3339(isTimeOfDay ? `${today}T${word}:00Z` : word);
  const tomorrow = isTimeOfDay ? fromRfc3339(`${dateAfter(today, 1)}T${word}:00Z`) : at;
  return (at !== null && at > now ? at : tomorrow) ?? now;
}
