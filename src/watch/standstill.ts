/** Since when a live job makes no step, or cannot be read: one look in vain is nothing, a long row of them is for a person. */

import { signatureNamed } from '../diagnosis/rows.ts';
import type { Standstill, Unread } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { toRfc3339 } from '../domain/time.ts';
import { type Look, redactAndTruncate } from './look.ts';

/**
 * The row of looks that found the same step as the one before; nothing where the job has moved or has ended. A look that
 * could not see adds nothing to the row and does not end it.
 */
export function standstillOf({ observation: last }: RunState, look: Look): Standstill | undefined {
  if (last === null || (look.job.kind === 'found' && !isLive(look.job.status))) return undefined;
  const before = last.standstill;
  if (look.job.kind !== 'found' || look.logUnread !== null) return before;
  const hasMoved = (look.log.step?.value ?? null) !== last.step;
  // What the look before could not see is no beginning of a row.
  if (hasMoved || (before === undefined && (!isLive(last.status) || last.unread !== undefined)))
    return undefined;
  return { since: before?.since ?? last.at, looks: (before?.looks ?? 0) + 1 };
}

/** What this attempt's log says of nodes that are gone or resources that cannot be had, as ids of signatures. */
export function clusterSigns({ log }: Look): readonly string[] {
  return log.failures.flatMap(({ id }) => {
    const kind = signatureNamed(id)?.class;
    return kind === 'infra-cluster' || kind === 'capacity' ? [id] : [];
  });
}

function isLive(status: string): boolean {
  return status === 'RUNNING' || status === 'PENDING';
}

/**
 * What this look could not read, with the time of the first look in the row; nothing where it read both. An engine that
 * positively has no such job did answer.
 */
export function unreadOf(state: RunState, look: Look): Unread | undefined {
  const now = unreadNow(look);
  if (now === null) return undefined;
  const last = state.observation?.unread;
  const since = last?.what === now.what ? last.since : toRfc3339(look.at);
  return { what: now.what, since, why: redactAndTruncate(look, now.why) };
}

function unreadNow({ job, logUnread }: Look): Pick<Unread, 'what' | 'why'> | null {
  if (job.kind === 'unknown') return { what: 'job', why: job.message };
  return job.kind === 'found' && logUnread !== null ? { what: 'log', why: logUnread } : null;
}
