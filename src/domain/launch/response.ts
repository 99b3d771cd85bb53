/**
 * Decides, from the record only, what follows a failed attempt. If a relaunch can help, relaunch the approved manifest (policy ML-34);
 * otherwise ask a person. The record rule uses the same function, so no process accepts an order that contradicts the decision.
 */

import type { ActionRecord } from '../actions/action.ts';
import { STOPPED_BY } from '../engine.ts';
import { type DetectorId, type Failure, isRetryableByPerson, isTransient, LOSS_NOT_FINITE } from '../failure-class.ts';
import { filterIncidents, type IncidentFacts } from '../incidents.ts';
import {
  type Approval,
  isOver,
  listCurrentApprovals,
  listOrders,
  type PastAttempt,
  type RejectedCheckpoint,
  type RelaunchAsked,
  type RunState,
} from '../logbook/run-state.ts';
import { type Digest, fromRfc3339, type Instant } from '../values.ts';
import { startsFromCheckpoint } from './contract.ts';
import { findSameFailure, rungFor } from './ladder.ts';
import {
  activeRollback,
  failureOf,
  findNodeReplacement,
  highestStep,
  lastEnded,
  restartsFor,
  restartsLeft,
  stateAtLastLaunch,
} from './next-attempt.ts';
import { approvedDigest, type Order } from './order.ts';
import { findPreApproval, preApprovedDigest } from './small-fix.ts';

/** `loss-lost`: the loss became non-finite. `other-steps`: the attempt diverged from the one it resumed. */
export type CorruptionSign = 'loss-lost' | 'other-steps';

/** Returns the recorded sign that the attempt corrupted its training state, or null. */
export function findCorruptionSign(
  { incidents }: Pick<RunState, 'incidents'>,
  { submission, end }: Pick<PastAttempt, 'submission' | 'end'>,
): CorruptionSign | null {
  if (end.signatures.includes(LOSS_NOT_FINITE)) return 'loss-lost';
  const isOther = filterIncidents(incidents, 'run-alarm').some(
    ({ detail }) => detail.detector === 'resume-mismatch' && (detail.attempt ?? 1) === submission.attempt,
  );
  return isOther ? 'other-steps' : null;
}

/** Detectors of numerical instability, which no machine fault explains (policy HR-44). */
const UNSTABLE: readonly DetectorId[] = ['gradient-norm', 'router-collapse', 'z-loss'];

/** Detector of the attempt's first instability alarm since the newest acknowledgement, or null. */
export function findInstabilityDetector(
  { incidents, taken }: Pick<RunState, 'incidents' | 'taken'>,
  { submission }: Pick<PastAttempt, 'submission'>,
): string | null {
  const found = filterIncidents(incidents, 'run-alarm').find(
    ({ seq, detail }) =>
      UNSTABLE.some((id) => id === detail.detector) &&
      (detail.attempt ?? 1) === submission.attempt &&
      seq > (taken?.seq ?? -1),
  );
  return found?.detail.detector ?? null;
}

export type Response =
  | { readonly kind: 'relaunch' }
  /** Wait until the proposed deletion of the bad node has ended. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'ask'; readonly why: IncidentFacts<'relaunch-refused'> };

/** Null if there is nothing to decide: the job runs, succeeded or was stopped, or the run is over. */
export function decideResponse(state: RunState): Response | null {
  const last = lastEnded(state);
  if (last === null || last.end.status === 'SUCCEEDED' || state.stop !== null || isOver(state)) return null;
  if (activeRollback(state) !== null) return null;
  const rejected = findRejection(state, last);
  if (rejected !== null) {
    const { attempt } = last.submission;
    return { kind: 'ask', why: { attempt, reason: 'checkpoint-rejected', rejectedStep: rejected.step } };
  }
  if (pendingRelaunchRequest(state) !== null) return decideRequestedRelaunch(state, last);
  // After a person ended the watch or released the machine, only a person can restart the job.
  if (state.watch.ended !== null || isRentalEndRequested(state)) return null;
  const replaced = findNodeReplacement(state);
  const { restartAfter } = last.order.manifest?.envelope ?? {};
  if (replaced === null && restartAfter === undefined) return null;
  if (replaced === null && isNodeReplacementPending(state)) return { kind: 'wait' };
  const why =
    findTrainingBar(state, last) ??
    (replaced === null ? findBar(state, last, restartAfter ?? []) : findNodeBar(state, last, replaced)) ??
    findEnvelopeBar(state, last);
  const { attempt } = last.submission;
  return why === null ? { kind: 'relaunch' } : { kind: 'ask', why: { attempt, ...why } };
}

/** Whether a person asked to end the rental after the newest attempt started. */
function isRentalEndRequested({ rental, submission }: RunState): boolean {
  return (rental.tearDownRequest?.seq ?? -1) > (submission?.seq ?? 0);
}

/** A person's request to relaunch after the current attempt, or null. */
export function pendingRelaunchRequest({ relaunchRequest, submission }: RunState): RelaunchAsked | null {
  return relaunchRequest?.attempt === submission?.attempt ? relaunchRequest : null;
}

/** A person may relaunch unless the failure would repeat; beyond the envelope, only with a new approval. */
function decideRequestedRelaunch(state: RunState, last: PastAttempt): Response {
  const { attempt } = last.submission;
  const bar =
    findManualBar(state, last) ?? (newApprovals(state, last).length > 0 ? null : findEnvelopeBar(state, last));
  return bar === null ? { kind: 'relaunch' } : { kind: 'ask', why: { attempt, ...bar } };
}

/** Why even a person may not relaunch this manifest: it would fail again. Null if a person may relaunch it. */
export function findManualBar(state: RunState, last: PastAttempt): RelaunchBar | null {
  const failure = failureOf(last);
  if (!isRetryableByPerson(failure)) return { reason: 'not-recoverable', failure };
  const rejected = findRejection(state, last);
  return rejected === null
    ? findTrainingBar(state, last)
    : { reason: 'checkpoint-rejected', rejectedStep: rejected.step };
}

/** Approvals of the failed manifest given after its failure. Only these count beyond the envelope. */
export function newApprovals({ approvals }: RunState, { order, end }: PastAttempt): readonly Approval[] {
  return approvals.filter(({ digest, seq }) => digest === order.order.digest && seq > end.seq);
}

/** The approvals that another start would use. Beyond the approved restarts, only approvals given after the end count. */
export function usableApprovals(state: RunState): readonly Approval[] {
  if (state.approvals.length === 0) return [];
  const before = stateAtLastLaunch(state);
  const last = lastEnded(before);
  const isAgain = last !== null && last.order.order.digest === state.gate?.digest;
  if (isAgain && restartsLeft(before) <= 0) return newApprovals(state, last);
  const given = envelopeApprovals(state);
  return given.length > 0 ? given : listCurrentApprovals(state);
}

/** Number of people in `usableApprovals`. */
export function countUsableApprovers(state: RunState): number {
  return new Set(usableApprovals(state).map(({ actor }) => actor.id)).size;
}

/** Approvals of the manifest that pre-approved the gated one, for the current description. */
export function envelopeApprovals(state: RunState): readonly Approval[] {
  if (state.approvals.length === 0) return [];
  const beforehand = preApprovedDigest(state);
  if (beforehand === null) return [];
  return state.approvals.filter(({ digest, body }) => digest === beforehand && body === state.gate?.body);
}

type RelaunchBar = Omit<IncidentFacts<'relaunch-refused'>, 'attempt'>;

/** Why a person must decide about this failure. */
function findBar(state: RunState, last: PastAttempt, restartAfter: readonly string[]): RelaunchBar | null {
  const failure = failureOf(last);
  // A ladder step changes something, so do not compare it with the failed attempt.
  const isOnLadder = rungFor(state, failure) !== null && restartAfter.includes(failure);
  if (isOnLadder && !isUncertainFailure(last, failure)) return null;
  if (failure === 'unknown' && restartAfter.includes(failure)) return unknownBefore(state);
  // rules HR-33, HR-60
  if (!isTransient(failure) || !restartAfter.includes(failure) || isUncertainFailure(last, failure))
    return { reason: 'not-recoverable', failure };
  // A stop on the cluster was a person's decision; do not undo it.
  const by = failure === 'stopped' ? last.end.engineDetails?.[STOPPED_BY] : undefined;
  if (by !== undefined) return { reason: 'stopped-by', failure, by };
  // rule HR-43
  return findSameFailed(state, last) ?? findNoProgress(state, last);
}

/** A failure without a known cause is tried again once. */
function unknownBefore({ attempts }: RunState): RelaunchBar | null {
  const past = attempts.find((one) => failureOf(one) === 'unknown');
  return past === undefined ? null : { reason: 'same-failure', failure: 'unknown', earlier: past.submission.attempt };
}

/** Corrupted training state remains in the attempt's checkpoints, even if another failure ended the attempt. */
function findTrainingBar(state: RunState, last: PastAttempt): RelaunchBar | null {
  const spoilt = findCorruptionSign(state, last);
  return spoilt === null ? null : { reason: spoilt };
}

/** Whether the diagnosis has low confidence. Its evidence may only be the trace of a stopped job. */
function isUncertainFailure({ end }: PastAttempt, failure: Failure): boolean {
  return failure !== 'stopped' && end.diagnosis?.confidence === 'low';
}

/**
 * A person's consent to replace the node covers the relaunch. If the config consented, a person decides about a repeated failure. A new
 * machine does not help against a failure that the manifest would repeat.
 */
function findNodeBar(
  state: RunState,
  last: PastAttempt,
  { claim: begun, approvals: consents }: ActionRecord,
): RelaunchBar | null {
  const failure = failureOf(last);
  if (!isRetryableByPerson(failure) && rungFor(state, failure) === null) return { reason: 'not-recoverable', failure };
  const byPerson = consents.some(({ seq, actor }) => seq === begun?.consent && actor !== null);
  return byPerson || last.order.manifest?.envelope.restartAfter === undefined ? null : findSameFailed(state, last);
}

function findSameFailed({ attempts }: RunState, last: PastAttempt): RelaunchBar | null {
  for (const past of attempts) {
    const same = findSameFailure(past, last);
    // rule ML-33
    if (same !== null && !isPreemptionWithProgress(last, highestStep(past) ?? 0))
      return { reason: 'same-failure', failure: same, earlier: past.submission.attempt };
  }
  return null;
}

/**
 * An attempt that got further than an earlier one was preempted again; it is not stuck. The envelope bounds restarts (policy HR-31, HR-43).
 */
function isPreemptionWithProgress(last: PastAttempt, before: number): boolean {
  return failureOf(last) === 'preempted' && (highestStep(last) ?? 0) > before;
}

/** A restart must get further than the attempts before; an unknown step does not count. */
function findNoProgress({ attempts }: RunState, last: PastAttempt): RelaunchBar | null {
  const before = attempts.filter(({ order }) => order.order.digest === last.order.order.digest);
  const furthest = Math.max(...before.map((past) => highestStep(past) ?? 0));
  const reached = highestStep(last);
  return before.length === 0 || (reached !== null && reached > furthest)
    ? null
    : { reason: 'no-progress', failure: failureOf(last), earlier: before.at(-1)?.submission.attempt };
}

function findEnvelopeBar(state: RunState, last: PastAttempt): RelaunchBar | null {
  if (restartsLeft(state) > 0) return null;
  return { reason: 'no-restarts-left', restarts: restartsFor(last) };
}

/** Whether this attempt's bad node is proposed or being deleted. */
function isNodeReplacementPending({ actions, submission }: RunState): boolean {
  return actions.some(
    ({ proposal, evidence, ended }) =>
      proposal.change.kind === 'delete-tpu-vm' && evidence.facts['attempt'] === submission?.attempt && ended === null,
  );
}

/**
 * The lane's newest run with the same failure and no success since: the earlier response did not help (policy DF-27). `runs`: newest first.
 */
export function findRunWithSameFailure(state: RunState, runs: readonly RunState[]): RunState | null {
  const last = lastEnded(state);
  if (last === null) return null;
  for (const other of runs) {
    if (other.run === state.run || other.proposal.lane !== state.proposal.lane) continue;
    const ended = lastEnded(other) ?? other.attempts.at(-1);
    if (ended?.end.status === 'SUCCEEDED') return null;
    // rule DF-27
    const isSame = ended !== undefined && findSameFailure(ended, last) !== null;
    if (isSame && !isPreemptionWithProgress(last, 0)) return other;
  }
  return null;
}

/** Whether people were asked about this attempt and did not request a relaunch since. */
export function isRelaunchRequested(state: RunState): boolean {
  const attempt = state.submission?.attempt;
  const spokenAt = pendingRelaunchRequest(state)?.seq ?? -1;
  return filterIncidents(state.incidents, 'relaunch-refused').some(
    ({ seq, detail }) => detail.attempt === attempt && seq > spokenAt,
  );
}

/** Whether a relaunch is due and facts are needed to decide it. */
export function wantsRelaunch(state: RunState): boolean {
  return decideResponse(state)?.kind === 'relaunch' && !isRelaunchRequested(state);
}

/** Whether another attempt may still follow without a new approval. While it may, a person can stop the run. */
export function canBeRelaunched(state: RunState): boolean {
  if (wantsRelaunch(state) || (findPreApproval(state) !== null && state.stop === null && !isOver(state))) return true;
  const { end, stop } = state;
  return end?.status === 'FAILED' && stop === null && !isOver(state) && isNodeReplacementPending(state);
}

/** Whether existing approvals allow another start, now or after a failure. A hold must block such a start. */
export function canStartAgain(state: RunState): boolean {
  if (state.submission === null || state.stop !== null || isOver(state)) return false;
  if (state.end === null) return restartsLeft(state) > 0;
  return canBeRelaunched(state) || (restartsLeft(state) <= 0 && usableApprovals(state).length > 0);
}

/** Record rule: why another order may not follow the executed one, or null. */
export function checkRelaunchOrder(state: RunState, next: Order): string | null {
  if (state.end === null) return 'ordered after the job was submitted';
  const response = decideResponse(state);
  if (response === null || response.kind === 'wait') return 'ordered again though no bad node was replaced';
  if (response.kind === 'ask') return `ordered again though a person decides: ${response.why.reason}`;
  if (isRelaunchRequested(state)) return 'ordered again though a person was asked';
  const { order } = state;
  if (restartsLeft(state) <= 0 && !hasNewApprovals(state, next))
    return 'ordered again beyond the restarts that were approved';
  // rule ML-23
  return next.digest === order?.order.digest && next.commit === order.order.commit
    ? null
    : 'ordered again with another manifest or commit';
}

function hasNewApprovals(state: RunState, next: Order): boolean {
  const last = lastEnded(state);
  const given = last === null ? [] : newApprovals(state, last);
  return next.approvals.every((cited) =>
    given.some(({ comment, surface }) => comment === cited.comment && surface === cited.surface),
  );
}

/** Whether people may approve the failed manifest again, because only a new approval allows another start. */
export function canBeApprovedAgain(state: RunState): boolean {
  const last = lastEnded(state);
  if (last === null || last.end.status === 'SUCCEEDED' || state.stop !== null || isOver(state)) return false;
  return (
    restartsLeft(state) <= 0 &&
    state.gate?.digest === last.order.order.digest &&
    state.gate.commit === last.order.order.commit &&
    findManualBar(state, last) === null
  );
}

/**
 * A rejected checkpoint that a restarted job could load by itself from its output root, or null. Always null if the command names its
 * checkpoint.
 */
export function findRejection({ attempts, rejections }: RunState, last: PastAttempt): RejectedCheckpoint | null {
  if (last.order.manifest !== null && startsFromCheckpoint(last.order.manifest)) return null;
  const startedBefore = (at: string): boolean =>
    [...attempts, last].some(
      ({ order }) =>
        (order.claim?.at ?? order.at) <= at && order.manifest?.outputRoot === last.order.manifest?.outputRoot,
    );
  return rejections.find(({ at }) => startedBefore(at)) ?? null;
}

/**
 * Whether an approval of this manifest is too old. Its age counts up to the runner's first claim of an order that uses it, or up to now.
 * After that claim, restarts use the same approval, even if the attempts run long. Only the runner can sign claims, so forged orders
 * cannot keep an old approval valid.
 */
export function isApprovalTooOld(
  state: RunState,
  { digest, createdAt }: { readonly digest: Digest; readonly createdAt: Instant },
  now: Instant,
  maxAgeMs: number,
): boolean {
  const claimed = listOrders(state)
    .filter((one) => one.order.digest === digest && one.status !== 'failed')
    .flatMap(({ claim }) => fromRfc3339(claim?.at ?? '') ?? [])
    .find((at) => at >= createdAt);
  const at = isGateUnansweredTooLong(state, digest, now, maxAgeMs) ? now : claimed;
  return (at ?? now) >= createdAt + maxAgeMs;
}

/** An approval of restarts does not cover a failure that stayed unanswered for the maximum age. */
function isGateUnansweredTooLong(state: RunState, digest: Digest, now: Instant, maxAgeMs: number): boolean {
  const before = stateAtLastLaunch(state);
  const last = lastEnded(before);
  if (last === null || approvedDigest(last.order.order) !== digest) return false;
  if (pendingRelaunchRequest(before) !== null || findNodeReplacement(before) !== null) return false;
  return now >= (fromRfc3339(last.end.at) ?? 0) + maxAgeMs;
}
