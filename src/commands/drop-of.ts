/** Records that a command drops approvals. */

import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { mayStartAgain, restingOn } from '../domain/launch/response.ts';
import type { EventDraft } from '../domain/logbook/event.ts';
import type { DropReason } from '../domain/logbook/events/launch-events.ts';
import type { Approval, RunState } from '../domain/logbook/run-state.ts';

/** Drops these approvals, which must be of one manifest; null if there are none. */
export function dropOf(
  approvals: readonly Approval[],
  reason: DropReason,
): Extract<EventDraft, { type: 'approval-dropped' }> | null {
  const first = approvals[0];
  if (first === undefined) return null;
  const users = approvals.map((approval) => approval.actor.id);
  return { type: 'approval-dropped', role: 'control', data: { reason, digest: first.digest, users } };
}

/** A hold drops every approval that could still start something. A claimed order may already be submitting. */
export function dropByBrake(state: RunState): ReturnType<typeof dropOf> {
  const isLaunched = !isBeforeLaunch(state) || state.order?.status === 'claimed';
  const isBetween = state.end !== null && mayStartAgain(state);
  return isLaunched && !isBetween ? null : dropOf(restingOn(state), 'held');
}
