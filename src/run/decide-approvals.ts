/** Drops invalid approvals. */

import { dropByBrake } from '../commands/drop-of.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { Instant } from '../domain/ids.ts';
import { holdsOn } from '../domain/launch/hold.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { restartsLeft } from '../domain/launch/relaunch.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { approvalFacts, approvalsToLookAt, unreadOfApprovals } from './approval-facts.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

/** Drops invalid approvals, one reason at a time, before an order uses them. An unreadable fact drops nothing and orders nothing. */
export function decideApprovals(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
): Step | null {
  const unread = unreadOfApprovals(state, facts);
  if (unread.length > 0) return need(...unread);
  const resting = approvalsToLookAt(state);
  // Once launched, a dropped approval changes nothing, unless restarts need new approvals.
  if (!(isBeforeLaunch(state) || restartsLeft(state) <= 0) || resting.length === 0) return null;
  const { journalHolds } = facts;
  if (journalHolds.kind === 'known' && holdsOn(journalHolds.value, state.proposal).length > 0) {
    const drop = dropByBrake(state);
    if (drop !== null) return append(drop);
  }
  const ids = new Set(resting.map((approval) => approval.actor.id));
  const digests = new Set(resting.map((approval) => approval.digest));
  const fallen = approvalFacts(state, facts, config, now)
    .given.filter(({ actor, digest }) => ids.has(actor.id) && digests.has(digest))
    .flatMap(({ actor, digest, standing }) => {
      if (standing.kind === 'unknown' || standing.value === 'counts') return [];
      return [{ user: actor.id, digest, reason: standing.value }];
    });
  const [first] = fallen;
  if (first === undefined) return null;
  const users = fallen.filter(({ reason }) => reason === first.reason).map(({ user }) => user);
  const data = { reason: first.reason, digest: first.digest, users };
  return append({ type: 'approval-dropped', role: 'control', data });
}
