/** Decides the order and its dispatch: approved, every gate green on today's facts, and nobody else in the lane. */

import { maxAgeMsOf } from '../config/approvers.ts';
import { type ActionApproval, approvalEndsAt } from '../domain/actions/action-state.ts';
import { dispatchesFor } from '../domain/dispatch.ts';
import type { Digest, DigestOf, Instant } from '../domain/ids.ts';
import { incidentDraft } from '../domain/incidents.ts';
import { failedAttempt, isBeforeLaunch, isLaunchable } from '../domain/launch/next-attempt.ts';
import { type Order, submissionIdOf } from '../domain/launch/order.ts';
import { approvalsBeforehand, restingOn } from '../domain/launch/response.ts';
import { allPass } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { type IssuedOrder, nextAttempt, type RunState } from '../domain/logbook/run-state.ts';
import { need } from '../domain/need.ts';
import { after, fromRfc3339, toRfc3339 } from '../domain/time.ts';
import { canonicalDigest } from '../logbook/canonical.ts';
import { dispatchKey, dispatchOfRun, laneWorkflow, type WantedWorkflow } from './dispatch.ts';
import type { Gated } from './gate-run.ts';
import { goesOnFrom } from './goes-on-from.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type DeciderInput, type Step } from './step.ts';

export type OrderInput = {
  readonly state: RunState;
  readonly config: Pick<LaneScopedConfig, 'approvals'>;
  readonly gated: Gated;
  readonly repository: string;
  readonly now: Instant;
  readonly digestOf: DigestOf;
};

/** Issues an order if the gates over the change and the approvals pass. `gated` must be fresh. */
export function decideOrder(input: OrderInput): Step | null {
  const { state } = input;
  if (!isBeforeLaunch(state) || state.stop !== null || isNodeInHand(input)) return null;
  if (state.order?.status === 'open' || state.order?.status === 'claimed') return null;
  if (state.gate?.digest == null || !allPass(state.gate.verdicts)) return null;
  if (!isLaunchable(state, state.gate.digest)) return null;
  const { gated } = input;
  if (gated.manifest.kind === 'unknown' || !allPass(gated.verdicts)) return null;
  // rule DF-06
  if (gated.bound.kind === 'unknown' || !allPass(gated.approvals)) return null;
  const { digest } = gated.bound.value;
  return state.gate.digest === digest ? orderStep(input, digest) : null;
}

/** A fix waits for a machine that somebody let go: the job could be put on it. */
function isNodeInHand({ state, config, now }: OrderInput): boolean {
  if (state.submission === null) return false;
  const isYoung = (consent: ActionApproval): boolean => now < approvalEndsAt(consent, maxAgeMsOf(config));
  return state.actions.some(
    ({ approvals: consents, claim: begun, ended }) =>
      ended === null && (begun !== null || consents.some(isYoung)),
  );
}

/** The order for the next attempt, citing each person's newest approval that currently counts. */
export function orderStep(input: OrderInput, digest: Digest): Step | null {
  const { state, gated, now } = input;
  const from = goesOnFrom(gated.facts);
  if (state.gate === null || from.kind === 'unknown') return null;
  const counting = countingPeople(gated);
  const resting = restingOn(state);
  const approvals = distinctPeople(resting.filter((a) => counting.has(a.actor.id)));
  const beforehand = approvalsBeforehand(state).find((one) => resting.includes(one))?.digest;
  const attempt = nextAttempt(state.order);
  const last = failedAttempt(state);
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
    ...(beforehand === undefined ? {} : { preApprovedBy: beforehand }),
    ...(last === null ? {} : { parent: { run: state.run, attempt: last.submission.attempt } }),
    ...(from.value === null ? {} : { checkpoint: from.value }),
    submissionId: submissionIdOf(state.run, attempt),
    issuedAt: toRfc3339(now),
    expiresAt: toRfc3339(after(now, limits.orderLifetimeMs)),
  };
  return append({
    type: 'ordered',
    role: 'control',
    data: { order, orderDigest: canonicalDigest(order, input.digestOf) },
  });
}

/** User ids of approvers whose approval currently counts. */
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

/**
 * Dispatches the launch until a runner has claimed and submitted the order. A second dispatch is harmless: an order is claimed once and has
 * one submission id.
 */
export function decideLaunch(input: DeciderInput): Step | null {
  const { state, facts, config, now, memory } = input;
  const { order } = state;
  if (order === null || (order.status !== 'open' && order.status !== 'claimed')) return null;
  const wanted = launchOf(state.run, order, config);
  const detail = { orderDigest: order.digest, attempt: order.order.attempt };
  if (order.status === 'open' && now >= (fromRfc3339(order.order.expiresAt) ?? 0)) {
    return append(incidentDraft('control', 'order-expired', detail));
  }
  const refused = memory.outcomes.get(dispatchKey(wanted, state.dispatches));
  if (refused?.kind === 'refused' && order.status === 'open') {
    return append(incidentDraft('control', 'dispatch-failed', { ...detail, message: refused.message }));
  }
  // The process that issued the order dispatches it first; others wait.
  const isFirst = dispatchesFor(state.dispatches, 'launch', order.digest).length === 0;
  if (
    isFirst &&
    !memory.appended.has(order.seq) &&
    now - (fromRfc3339(order.at) ?? 0) < limits.redispatchPauseMs
  )
    return null;
  const { dispatches } = state;
  const earlier = isFirst ? dispatches.findLast(({ workflow }) => workflow === 'launch') : undefined;
  const queued = earlier === undefined ? null : facts.workflowRuns.get(earlier.workflowRun);
  if (earlier !== undefined && queued === undefined)
    return need({ fact: 'workflowRuns', of: earlier.workflowRun });
  // Without an online runner, the lapsed order's launch is still queued.
  if (queued?.kind === 'known' && queued.value !== null && queued.value.status !== 'completed') return null;
  return dispatchOfRun(input, wanted);
}

function launchOf(run: string, { digest }: IssuedOrder, config: LaneScopedConfig): WantedWorkflow {
  const triesMax = limits.dispatchesPerOrderMax;
  return { ...laneWorkflow(config, 'launch'), subject: digest, inputs: { run, order: digest }, triesMax };
}
