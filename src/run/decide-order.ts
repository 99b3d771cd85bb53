/** Decides the order and its dispatch: approved, every gate green on today's facts, and nobody else in the lane. */

import type { LaneScopedConfig } from '../config/lane-scope.ts';
import type { RunFacts, WorkflowRunFacts } from '../domain/facts.ts';
import type { Digest, DigestOf, Instant } from '../domain/ids.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { type Order, submissionIdOf } from '../domain/launch/order.ts';
import { allPass } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import {
  type IssuedOrder,
  nextAttempt,
  type RunState,
  standingApprovals,
} from '../domain/logbook/run-state.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';
import type { Gated } from './gate-run.ts';
import { orderDigest } from './manifest-digest.ts';
import { append, isDone, type Memory, mayTry, perform, type Step } from './step.ts';

export type OrderInput = {
  readonly state: RunState;
  readonly gated: Gated;
  readonly repository: string;
  readonly now: Instant;
  readonly digestOf: DigestOf;
};

/** Issues an order where the gates over the change and those over the approvals pass. `gated` is fresh, of this very moment. */
export function decideOrder(input: OrderInput): Step | null {
  const { state, gated } = input;
  if (state.submission !== null || state.stop !== null) return null;
  if (state.order?.status === 'open' || state.order?.status === 'claimed') return null;
  if (gated.manifest.kind === 'unknown' || !allPass(gated.verdicts)) return null;
  if (gated.bound.kind === 'unknown' || !allPass(gated.approvals)) return null;
  const { digest } = gated.bound.value;
  if (state.gate === null || state.gate.digest !== digest || !allPass(state.gate.verdicts)) return null;
  return orderStep(input, digest);
}

/** The order for what was gated and approved: of the next attempt, on the approvals that were seen to count just now. */
export function orderStep(input: OrderInput, digest: Digest): Step | null {
  const { state, gated, now } = input;
  if (state.gate === null) return null;
  const counting = countingPeople(gated);
  const approvals = distinctPeople(standingApprovals(state).filter((a) => counting.has(a.actor.id)));
  const attempt = nextAttempt(state.order);
  const order: Order = {
    v: 1,
    run: state.run,
    repository: input.repository,
    attempt,
    digest,
    commit: state.gate.commit,
    pull: state.proposal.pull,
    approvals: approvals.map((a) => ({
      comment: a.comment,
      surface: a.surface,
      user: a.actor.id,
      bodyDigest: a.bodyDigest,
    })),
    submissionId: submissionIdOf(state.run, attempt),
    issuedAt: toRfc3339(now),
    expiresAt: toRfc3339(after(now, limits.orderLifetimeMs)),
  };
  return append({
    type: 'ordered',
    role: 'control',
    data: { order, orderDigest: orderDigest(order, input.digestOf) },
  });
}

/** Ids of the approvers whose approval was seen to count just now: the runner is given no other to look at. */
function countingPeople({ facts }: Gated): ReadonlySet<number> {
  const given = facts.approvals.kind === 'known' ? facts.approvals.value.given : [];
  const counting = given.filter(({ standing }) => standing.kind === 'known' && standing.value === 'counts');
  return new Set(counting.map(({ actor }) => actor.id));
}

function distinctPeople<Approval extends { readonly actor: { readonly id: number } }>(
  approvals: readonly Approval[],
): readonly Approval[] {
  return [...new Map(approvals.map((a) => [a.actor.id, a])).values()];
}

/** Dispatches the launch of an order that nobody carries out. Twice does no harm: an order is claimed once, and submits under one id. */
export function decideDispatch(
  state: RunState,
  facts: RunFacts,
  config: LaneScopedConfig,
  now: Instant,
  memory: Memory,
): Step | null {
  const { order } = state;
  if (order === null || (order.status !== 'open' && order.status !== 'claimed')) return null;
  const key = dispatchKey(order, now);
  const detail = { orderDigest: order.digest, attempt: order.order.attempt };
  if (order.status === 'open' && now >= (fromRfc3339(order.order.expiresAt) ?? 0)) {
    return append(incidentDraft('control', 'order-expired', detail));
  }
  const refused = memory.outcomes.get(key);
  if (refused?.kind === 'refused' && order.status === 'open') {
    return append(incidentDraft('control', 'dispatch-failed', { ...detail, message: refused.message }));
  }
  if (isDone(memory, key)) return null;
  const seen = runsOf(facts, order, memory);
  if (seen === null || !isDispatchOwed(seen, order, now, memory, key)) return null;
  const inputs = { run: state.run, order: order.digest };
  return perform(key, {
    kind: 'dispatch-workflow',
    workflow: config.workflows.launch,
    ref: config.lane.targetBranch,
    inputs,
  });
}

/** Whether this process needs the list of launch runs: only if an order waits and it did not dispatch it itself. */
export function wantsLaunchRuns(state: RunState, memory: Memory, now: Instant): boolean {
  const { order } = state;
  if (order === null || (order.status !== 'open' && order.status !== 'claimed')) return false;
  if (isDone(memory, dispatchKey(order, now))) return false;
  return (
    now - lastMoveAt(order) >= limits.dispatchVisibleMs ||
    memory.outcomes.get(dispatchKey(order, now))?.kind === 'unknown'
  );
}

/** When the order was issued, or claimed if it was. */
function lastMoveAt(order: IssuedOrder): number {
  return fromRfc3339(order.claim?.at ?? order.at) ?? 0;
}

function isDispatchOwed(
  seen: readonly WorkflowRunFacts[],
  order: IssuedOrder,
  now: Instant,
  memory: Memory,
  key: string,
): boolean {
  if (!mayTry(memory, key, limits.dispatchesPerOrderMax) || seen.length >= limits.dispatchesPerOrderMax)
    return false;
  if (seen.some((run) => run.status !== 'completed')) return false;
  const newest = seen.reduce((at, run) => Math.max(at, run.createdAt), lastMoveAt(order));
  return (seen.length === 0 && order.status === 'open') || now - newest >= limits.dispatchVisibleMs;
}

/** Launch runs of this order; null where they could not be read. Who issued the order just now knows that there are none. */
function runsOf(facts: RunFacts, order: IssuedOrder, memory: Memory): readonly WorkflowRunFacts[] | null {
  if (facts.launchRuns.kind === 'unknown') {
    return facts.launchRuns.why === NOT_ASKED && memory.appended.has(order.seq) ? [] : null;
  }
  return facts.launchRuns.value.filter((run) => run.title.includes(order.digest.slice(7, 19)));
}

/** Why a list is unknown because nobody needed it. */
export const NOT_ASKED = 'not asked for';

/**
 * A claimed order that is stuck is dispatched again under a key of its own. A dispatch of this process counts as on its way
 * for a while; after that only the list counts, because a launch that died before its claim left nothing in the record.
 */
function dispatchKey(order: IssuedOrder, now: Instant): string {
  const period = Math.floor((now - lastMoveAt(order)) / limits.redispatchPeriodMs);
  return `dispatch:${order.digest}:${order.status}:${period}`;
}
