/** Since when the job or its log cannot be read: one look in vain is nothing, a long row of them is for a person. */

import type { Unread } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { toRfc3339 } from '../domain/time.ts';
import { type Look, redactAndTruncate } from './look.ts';

/**
 * What this look could not read, with the time of the first look in the row; nothing where it read both. An engine that
 * positively has no such job did answer.
 */
export function unreadOf(state: RunState, look: Look): { readonly unread?: Unread } {
  const now = unreadNow(look);
  if (now === null) return {};
  const last = state.observation?.unread;
  const since = last?.what === now.what ? last.since : toRfc3339(look.at);
  return { unread: { what: now.what, since, why: redactAndTruncate(look, now.why) } };
}

function unreadNow({ job, logUnread }: Look): Pick<Unread, 'what' | 'why'> | null {
  if (job.kind === 'unknown') return { what: 'job', why: job.message };
  return job.kind === 'found' && logUnread !== null ? { what: 'log', why: logUnread } : null;
}
