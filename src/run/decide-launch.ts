/** Decides the order and its dispatch: it needs approvals, a pass from every gate on current facts, and a free lane. */

import { approvalMaxAgeMs } from '../config/approvals-schema.ts';
import { type ActionApproval, approvalEndsAt } from '../domain/actions/action.ts';
import { dispatchesFor } from '../domain/effect.ts';
import type { RunFacts, WorkflowRunFacts } from '../domain/facts.ts';
import { filterIncidents, incidentDraft } from '../domain/incidents.ts';
import { listHoldsOnRun } from '../domain/launch/hold.ts';
import { isBeforeLaunch, isFixPushed, isLaunchable, lastFailure } from '../domain/launch/next-attempt.ts';
import { buildSubmissionId, type Order } from '../domain/launch/order.ts';
import { envelopeApprovals, usableApprovals } from '../domain/launch/response.ts';
import { findPreApproval } from '../domain/launch/small-fix.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import { allPass } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import type { EventDataByType, EventDraft } from '../domain/logbook/define.ts';
import { awaitsAdoption } from '../domain/logbook/holdings.ts';
import {
  type IssuedOrder,
  listCurrentApprovals,
  nextAttemptNumber,
  type RunState,
} from '../domain/logbook/run-state.ts';
import { isNotAsked, request } from '../domain/reconcile-request.ts';
import { addMs, type Digest, type DigestOf, fromRfc3339, type Instant, type Sha, toRfc3339 } from '../domain/values.ts';
import { judgeHolds } from '../gates/run-gates.ts';
import { canonicalDigest, canonicalize } from '../logbook/chain.ts';
import { factsToRecord } from './backtest/backtest.ts';
import { checkpointToContinue, type GateEvaluation, listUnreadFacts } from './gate-run.ts';
import type { LaneScopedConfig } from './lane.ts';
import {
  append,
  type DeciderInput,
  dispatchAttemptKey,
  dispatchOfRun,
  type Step,
  type WorkflowRequest,
  workflowForLane,
} from './step.ts';

/**
 * Records the gates when a verdict changed. Unreadable verdicts are recorded only at the first evaluation: an unreadable fact delays a
 * launch but drops no approval.
 */
export function decideGates(state: RunState, facts: RunFacts, judge: () => GateEvaluation): Step | null {
  if (state.order?.status === 'claimed' || awaitsAdoption(state)) return null;
  if (isNotAsked(facts.pull)) return request('comments');
  if (facts.pull.kind === 'unknown' || facts.body.kind === 'unknown') return null;
  if (state.submission !== null && !isFixPushed(state, facts.pull.value.headSha)) return null;
  const unread = listUnreadFacts(facts);
  if (unread.length > 0) return request(...unread);
  const gated = judge();
  const hasUnknown = gated.verdicts.some((v) => v.outcome === 'unknown' && v.code === 'unreadable');
  // A manifest that cannot be built is reported. A change or checkpoint that could not be read is not.
  const isTold =
    gated.manifest.kind === 'unknown' && facts.change.kind === 'known' && gated.facts.start?.kind !== 'unknown';
  if (hasUnknown && state.gate !== null && !isTold) return null;
  const digest = gated.bound.kind === 'known' ? gated.bound.value.digest : null;
  const body = facts.body.value.fingerprint;
  const commit = facts.pull.value.headSha;
  const same =
    state.gate !== null && state.gate.digest === digest && state.gate.body === body && state.gate.commit === commit;
  if (same && areSameVerdicts(state.gate?.verdicts ?? [], gated.verdicts)) return null;
  if (lastFailure(state) !== null && isNotAsked(facts.changedSince)) return request('changedSince');
  const manifest = gated.manifest.kind === 'known' ? gated.manifest.value : null;
  const recorded: EventDraft = {
    type: 'gated',
    role: 'control',
    data: {
      digest,
      manifest,
      commit,
      body,
      verdicts: gated.verdicts,
      ...factsToRecord(gated.facts),
      ...currentFix(state, facts),
    },
  };
  const drop = dropOutdatedApprovals(state, { digest, body, commit, pass: allPass(gated.verdicts) });
  return drop === null ? append(recorded) : append(drop, recorded);
}

/**
 * Records the one verdict that a hold of this run, or its end, changes. The other verdicts stay those of the recorded gates; an order and
 * the next sweep evaluate them again.
 */
export function decideHoldVerdict(state: RunState, { journalHolds }: RunFacts): Step | null {
  if (state.gate === null || state.order?.status === 'claimed' || awaitsAdoption(state)) return null;
  const { at: _, seq: __, ...recorded } = state.gate;
  if (state.submission !== null && !isFixPushed(state, recorded.commit)) return null;
  const judgement = judgeHolds(listHoldsOnRun(state, journalHolds));
  if (judgement.outcome === 'unknown') return null;
  const verdicts = recorded.verdicts.map((one) => (one.gate === 'not-held' ? { gate: one.gate, ...judgement } : one));
  if (areSameVerdicts(recorded.verdicts, verdicts)) return null;
  return append({ type: 'gated', role: 'control', data: { ...recorded, verdicts } });
}

/** For display: what a fix changed since the failed attempt. */
function currentFix(state: RunState, { changedSince }: RunFacts): Pick<EventDataByType['gated'], 'fix'> {
  const last = lastFailure(state);
  if (last === null) return {};
  const { attempt, commit } = last.submission;
  if (changedSince.kind === 'unknown') return { fix: { attempt, commit, files: null, more: 0 } };
  const files = changedSince.value.slice(0, limits.shownRowsMax);
  return { fix: { attempt, commit, files, more: changedSince.value.length - files.length } };
}

function dropOutdatedApprovals(
  state: RunState,
  now: { readonly digest: Digest | null; readonly body: Digest; readonly commit: Sha; readonly pass: boolean },
): EventDraft | null {
  // The fix's pre-approval stays valid.
  if (findPreApproval(state)?.commit === now.commit) return null;
  const standing = listCurrentApprovals(state);
  const [first] = standing;
  if (first === undefined) return null;
  const isSame = now.digest === first.digest && now.body === first.body;
  if (isSame && now.pass) return null;
  const reason = isSame ? 'gate-fails' : 'manifest-changed';
  const users = standing.map((a) => a.actor.id);
  return { type: 'approval-dropped', role: 'control', data: { reason, digest: first.digest, users } };
}

function areSameVerdicts(a: readonly Verdict[], b: readonly Verdict[]): boolean {
  return canonicalize([...a]) === canonicalize([...b]);
}

/** Reports once that the contract's checkpoint is not valid, because the gate is visible only on the card (policy HR-55, HR-56). */
export function decideStartReport({ gate, incidents, proposal }: RunState): Step | null {
  const refused = gate?.verdicts.find((one) => one.gate === 'checkpoint-proven' && one.code === 'refused');
  if (refused === undefined) return null;
  const { why, path, dri } = refused.found;
  // Values from the creating command cannot be changed in the issue.
  const asked = proposal.continues === undefined ? {} : { asked: 'resume-as' };
  const facts = { why: String(why), path: String(path), dri: String(dri), ...asked };
  const told = filterIncidents(incidents, 'start-refused');
  return told.some(({ detail }) => detail.why === facts.why && detail.path === facts.path)
    ? null
    : append(incidentDraft('control', 'start-refused', facts));
}

export type OrderInput = {
  readonly state: RunState;
  readonly config: Pick<LaneScopedConfig, 'approvals'>;
  readonly gated: GateEvaluation;
  readonly repository: string;
  readonly now: Instant;
  readonly digestOf: DigestOf;
};

/** Issues an order if the gates over the change and the approvals pass. `gated` must be fresh. */
export function decideOrder(input: OrderInput): Step | null {
  const { state } = input;
  if (!isBeforeLaunch(state) || state.stop !== null || isNodeReplacementPending(input)) return null;
  if (state.order?.status === 'open' || state.order?.status === 'claimed') return null;
  if (state.gate?.digest == null || !allPass(state.gate.verdicts)) return null;
  if (!isLaunchable(state, state.gate.digest)) return null;
  const { gated } = input;
  if (gated.manifest.kind === 'unknown' || !allPass(gated.verdicts)) return null;
  // rule DF-06
  if (gated.bound.kind === 'unknown' || !allPass(gated.approvals)) return null;
  const { digest } = gated.bound.value;
  return state.gate.digest === digest ? buildOrder(input, digest) : null;
}

/** A fix waits while a consented node replacement is open: its job could start on that machine. */
function isNodeReplacementPending({ state, config, now }: OrderInput): boolean {
  if (state.submission === null) return false;
  const isYoung = (consent: ActionApproval): boolean => now < approvalEndsAt(consent, approvalMaxAgeMs(config));
  return state.actions.some(
    ({ approvals: consents, claim: begun, ended }) => ended === null && (begun !== null || consents.some(isYoung)),
  );
}

/** The order for the next attempt, citing each person's newest approval that currently counts. */
export function buildOrder(input: OrderInput, digest: Digest): Step | null {
  const { state, gated, now } = input;
  const from = checkpointToContinue(gated.facts);
  if (state.gate === null || from.kind === 'unknown') return null;
  const counting = listCountingApprovers(gated);
  const resting = usableApprovals(state);
  const approvals = oneApprovalPerPerson(resting.filter((a) => counting.has(a.actor.id)));
  const beforehand = envelopeApprovals(state).find((one) => resting.includes(one))?.digest;
  const attempt = nextAttemptNumber(state.order);
  const last = lastFailure(state);
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
    submissionId: buildSubmissionId(state.run, attempt),
    issuedAt: toRfc3339(now),
    expiresAt: toRfc3339(addMs(now, limits.orderLifetimeMs)),
  };
  return append({
    type: 'ordered',
    role: 'control',
    data: { order, orderDigest: canonicalDigest(order, input.digestOf) },
  });
}

/** User ids of the people with an approval that currently counts. */
function listCountingApprovers({ facts }: GateEvaluation): ReadonlySet<number> {
  const given = facts.approvals.kind === 'known' ? facts.approvals.value.approvals : [];
  const counting = given.filter(({ status }) => status.kind === 'known' && status.value === 'counts');
  return new Set(counting.map(({ actor }) => actor.id));
}

function oneApprovalPerPerson<Approval extends { readonly actor: { readonly id: number } }>(
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
  const wanted = launchWorkflow(state.run, order, config);
  const detail = { orderDigest: order.digest, attempt: order.order.attempt };
  if (order.status === 'open' && now >= (fromRfc3339(order.order.expiresAt) ?? 0)) {
    return append(incidentDraft('control', 'order-expired', detail));
  }
  const refused = memory.outcomes.get(dispatchAttemptKey(wanted, state.dispatches));
  if (refused?.kind === 'refused' && order.status === 'open') {
    return append(incidentDraft('control', 'dispatch-failed', { ...detail, message: refused.message }));
  }
  // The process that issued the order dispatches it first; others wait.
  const isFirst = dispatchesFor(state.dispatches, 'launch', order.digest).length === 0;
  if (isFirst && !memory.appended.has(order.seq) && now - (fromRfc3339(order.at) ?? 0) < limits.redispatchPauseMs)
    return null;
  const { dispatches } = state;
  const earlier = isFirst ? dispatches.findLast(({ workflow }) => workflow === 'launch') : undefined;
  const queued = earlier === undefined ? null : facts.workflowRuns.get(earlier.workflowRun);
  if (earlier !== undefined && queued === undefined) return request({ fact: 'workflowRuns', of: earlier.workflowRun });
  // Without an online runner, the expired order's launch is still queued.
  if (queued?.kind === 'known' && queued.value !== null && queued.value.status !== 'completed') return null;
  return dispatchOfRun(input, wanted);
}

function launchWorkflow(run: string, { digest }: IssuedOrder, config: LaneScopedConfig): WorkflowRequest {
  const triesMax = limits.dispatchesPerOrderMax;
  return { ...workflowForLane(config, 'launch'), subject: digest, inputs: { run, order: digest }, triesMax };
}

/** The usual time to claim an order. GitHub is not asked earlier unless a workflow run ended. */
const LAUNCH_MS_MIN = 2 * 60_000;
/** A workflow run cannot end faster than this. */
const DISPATCH_MS_MIN = 1_000;
/** Queue time before the first comment; decide-waits.ts keeps the comment up to date. */
const WAITING_TOLD_MS = 5 * 60_000;

/** Reports a launch that waits or failed; null if there is nothing new. `mayHaveEnded`: a workflow run just ended, or this is a sweep. */
export function decideLaunchTrouble(
  state: RunState,
  facts: RunFacts,
  now: Instant,
  mayHaveEnded: boolean,
): Step | null {
  const { order } = state;
  if (order === null || order.status !== 'open' || now >= (fromRfc3339(order.order.expiresAt) ?? 0)) return null;
  const last = state.dispatches.findLast(({ workflow }) => workflow === 'launch');
  const pauseMs = mayHaveEnded ? DISPATCH_MS_MIN : LAUNCH_MS_MIN;
  if (last === undefined || now - (fromRfc3339(last.at) ?? 0) < pauseMs) return null;
  const run = facts.workflowRuns.get(last.workflowRun);
  if (run === undefined) return request({ fact: 'workflowRuns', of: last.workflowRun });
  if (run.kind === 'unknown' || run.value === null || run.value.status === 'in_progress') return null;
  // An expired order's workflow run still blocks the next one.
  if (run.value.status !== 'completed') return reportLaunchWaiting(state, order, run.value, now);
  const left = limits.dispatchesPerOrderMax - dispatchesFor(state.dispatches, 'launch', order.digest).length;
  return last.subject === order.digest ? reportLaunchFailure(state, order, { last: run.value, left, facts }) : null;
}

/** Reported at the first failure of an order, and when no dispatch is left. */
function reportLaunchFailure(
  state: RunState,
  order: IssuedOrder,
  { last, left, facts }: { readonly last: WorkflowRunFacts; readonly left: number; readonly facts: RunFacts },
): Step | null {
  const told = filterIncidents(state.incidents, 'launch-failed').filter(
    ({ detail }) => detail.orderDigest === order.digest,
  );
  const unread = filterIncidents(state.incidents, 'launch-unreadable').some(
    ({ detail }) => detail.orderDigest === order.digest,
  );
  if (left > 0 && (told.length > 0 || unread)) return null;
  const reason = facts.failedJobs?.get(last.id);
  if (reason === undefined) return request({ fact: 'failedJobs', of: last.id });
  const why = reason.kind === 'known' ? reason.value : `the workflow run ended with ${last.conclusion ?? 'nothing'}`;
  return append(
    incidentDraft('control', 'launch-failed', {
      orderDigest: order.digest,
      attempt: order.order.attempt,
      url: last.url,
      why,
      left,
    }),
  );
}

/** Reported once per order. */
function reportLaunchWaiting(state: RunState, order: IssuedOrder, last: WorkflowRunFacts, now: Instant): Step | null {
  const isTold = filterIncidents(state.incidents, 'launch-waiting').some(
    ({ detail }) => detail.orderDigest === order.digest,
  );
  if (isTold || now - last.createdAt < WAITING_TOLD_MS) return null;
  const { attempt } = order.order;
  return append(incidentDraft('control', 'launch-waiting', { orderDigest: order.digest, attempt, url: last.url }));
}
