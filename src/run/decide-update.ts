/** Regular status updates. */

import type { Instant } from '../domain/ids.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import { isOver, type RunState } from '../domain/logbook/run-state.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { publicationsOf } from './publications.ts';

const HOUR_MS = 3_600_000;

/** The due status update for a watched job (policy HR-26); null if the issue had recent news. */
export function decideUpdate(state: RunState, { lane }: LaneScopedConfig, now: Instant): EventDraft | null {
  const { submission, end, watch } = state;
  const { updateHours } = lane;
  // Ended jobs and ended watches have their own reminders.
  if (updateHours === null || submission === null || end !== null || watch.ended !== null || isOver(state))
    return null;
  const heardAt = Math.max(0, ...toldInIssue(state).map(({ at }) => fromRfc3339(at) ?? 0));
  // rule HR-26
  if (now - heardAt < updateHours * HOUR_MS) return null;
  const before = state.notices.filter(({ reason, seq }) => reason === 'update' && seq > submission.seq);
  const about = `${submission.seq}-${before.length + 1}`;
  return { type: 'notified', role: 'control', data: { reason: 'update', about } };
}

/** Answers to commands do not count as news. */
function toldInIssue(state: RunState): readonly { readonly at: string }[] {
  const { issue } = state.proposal;
  return publicationsOf(state).filter(({ kind, thread }) => kind !== 'answer' && thread === issue);
}
