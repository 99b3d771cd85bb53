/**
 * What is done about an attempt that failed, by the record alone: the same manifest again, under the approval that it has,
 * where that can help and was approved (policy ML-34); otherwise a person is asked, and nothing is started until one speaks.
 * The rule of the record is the same, so that no process takes an order for good which this would not give.
 */

import type { MutationRecord } from '../care/mutation-state.ts';
import { STOPPED_BY } from '../engine.ts';
import { type Failure, mayBeTriedByHand, mayPassAgain } from '../failure-class.ts';
import { type IncidentFacts, incidentsWith } from '../incidents.ts';
import {
  type Approval,
  isOver,
  type PastAttempt,
  type RelaunchAsked,
  type RunState,
  standingApprovals,
} from '../logbook/run-state.ts';
import { failureOf, sameFailure } from './fingerprint.ts';
import { rungFor } from './ladder.ts';
import { asLaunched, pastAttempt, reachedStep, rollbackOf } from './next-attempt.ts';
import type { Order } from './order.ts';
import { approvedBeforehand, preApproval } from './pre-approval.ts';
import { rejectionFor } from './rejected-lineage.ts';
import { replacementFor, restartsLeft } from './relaunch.ts';
import { spoiltBy } from './spoilt.ts';

export type Response =
  | { readonly kind: 'relaunch' }
  /** For what becomes of a bad node. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'ask'; readonly why: IncidentFacts<'relaunch-refused'> };

/** Null where nothing is to be answered: the job runs, went well or was stopped, or the run is over. */
export function responseTo(state: RunState): Response | null {
  const last = pastAttempt(state);
  if (last === null || last.end.status === 'SUCCEEDED' || state.stop !== null || isOver(state)) return null;
  if (rollbackOf(state) !== null) return null;
  const rejected = rejectionFor(state, last);
  if (rejected !== null) {
    const { attempt } = last.submission;
    return { kind: 'ask', why: { attempt, reason: 'checkpoint-rejected', rejectedStep: rejected.step } };
  }
  if (askedFor(state) !== null) return byHand(state, last);
  // Whoever ended the watch, or let the machine go, has let go of the job: nothing but a person starts it again.
  if (state.watch.ended !== null || isLetGo(state)) return null;
  const replaced = replacementFor(state);
  const { restartAfter } = last.order.manifest?.envelope ?? {};
  if (replaced === null && restartAfter === undefined) return null;
  if (replaced === null && isNodeInHand(state)) return { kind: 'wait' };
  const why =
    barOfTraining(state, last) ??
    (replaced === null ? barOf(state, last, restartAfter ?? []) : barAfterNode(state, last, replaced)) ??
    barOfEnvelope(state);
  const { attempt } = last.submission;
  return why === null ? { kind: 'relaunch' } : { kind: 'ask', why: { attempt, ...why } };
}

/** Whether a person has asked for the end of what was rented since the newest attempt began. */
function isLetGo({ rental, submission }: RunState): boolean {
  return (rental.asked?.seq ?? -1) > (submission?.seq ?? 0);
}

/** The word of a person who wants the same again after this very attempt. */
export function askedFor({ relaunchAsked, submission }: RunState): RelaunchAsked | null {
  return relaunchAsked?.attempt === submission?.attempt ? relaunchAsked : null;
}

/** A person decides about everything but what would end the same, and beyond the envelope by an approval of its own. */
function byHand(state: RunState, last: PastAttempt): Response {
  const { attempt } = last.submission;
  const failure = failureOf(last);
  if (!mayBeTriedByHand(failure))
    return { kind: 'ask', why: { attempt, reason: 'not-recoverable', failure } };
  const bar =
    barOfTraining(state, last) ?? (approvalsSinceEnd(state, last).length > 0 ? null : barOfEnvelope(state));
  return bar === null ? { kind: 'relaunch' } : { kind: 'ask', why: { attempt, ...bar } };
}

/** Approvals of the very manifest that failed, by people who knew that it had: beyond the envelope they alone count. */
export function approvalsSinceEnd({ approvals }: RunState, { order, end }: PastAttempt): readonly Approval[] {
  return approvals.filter(({ digest, seq }) => digest === order.order.digest && seq > end.seq);
}

/** What another start would rest on: beyond the restarts that were approved, approvals from after the end alone. */
export function restingOn(state: RunState): readonly Approval[] {
  const before = asLaunched(state);
  const last = pastAttempt(before);
  const isAgain = last !== null && last.order.order.digest === state.gate?.digest;
  if (isAgain && restartsLeft(before) <= 0) return approvalsSinceEnd(state, last);
  const given = approvalsBeforehand(state);
  return given.length > 0 ? given : standingApprovals(state);
}

/** Distinct people whose approvals it would rest on. */
export function approvalsHad(state: RunState): number {
  return new Set(restingOn(state).map(({ actor }) => actor.id)).size;
}

/** Those of the manifest whose envelope has approved the gated one; of the very text that is described now. */
export function approvalsBeforehand(state: RunState): readonly Approval[] {
  const beforehand = approvedBeforehand(state);
  if (beforehand === null) return [];
  return state.approvals.filter(({ digest, body }) => digest === beforehand && body === state.gate?.body);
}

type Bar = Omit<IncidentFacts<'relaunch-refused'>, 'attempt'>;

/** Why this failure is a person's. */
function barOf(state: RunState, last: PastAttempt, restartAfter: readonly string[]): Bar | null {
  const failure = failureOf(last);
  // A step of the ladder is not the same again: nobody compares it with what failed.
  const isOnLadder = rungFor(state, failure) !== null && restartAfter.includes(failure);
  if (isOnLadder && !isGuess(last, failure)) return null;
  // rules HR-33, HR-60
  if (!mayPassAgain(failure) || !restartAfter.includes(failure) || isGuess(last, failure))
    return { reason: 'not-recoverable', failure };
  // What a person did on the cluster is a decision: starting it again would undo it.
  const by = failure === 'stopped' ? last.end.engineDetails?.[STOPPED_BY] : undefined;
  if (by !== undefined) return { reason: 'stopped-by', failure, by };
  // rule HR-43
  return alikeIn(state, last) ?? withoutProgress(state, last);
}

/** What was trained wrongly stays in what the attempt has left behind, whatever ended it. */
function barOfTraining(state: RunState, last: PastAttempt): Bar | null {
  const spoilt = spoiltBy(state, last);
  return spoilt === null ? null : { reason: spoilt };
}

/** What little a log says may as well be the trace of somebody who stopped the job. */
function isGuess({ end }: PastAttempt, failure: Failure): boolean {
  return failure !== 'stopped' && end.diagnosis?.confidence === 'low';
}

/** A person who has let a machine go has spoken; where the config did, the same again is told to one. Another machine gives what the job died of no other end. */
function barAfterNode(state: RunState, last: PastAttempt, { begun, consents }: MutationRecord): Bar | null {
  const failure = failureOf(last);
  if (!mayBeTriedByHand(failure) && rungFor(state, failure) === null)
    return { reason: 'not-recoverable', failure };
  const byPerson = consents.some(({ seq, actor }) => seq === begun?.consent && actor !== null);
  return byPerson || last.order.manifest?.envelope.restartAfter === undefined ? null : alikeIn(state, last);
}

function alikeIn({ attempts }: RunState, last: PastAttempt): Bar | null {
  for (const past of attempts) {
    const same = sameFailure(past, last);
    // rule ML-33
    if (same !== null && !isAnotherPreemption(last, reachedStep(past) ?? 0))
      return { reason: 'same-failure', failure: same, earlier: past.submission.attempt };
  }
  return null;
}

/**
 * A cloud takes machines back in the same words each time: what went on from the last one and got further has not met the same
 * problem again. How often it may is in the envelope (policy HR-31, HR-43).
 */
function isAnotherPreemption(last: PastAttempt, before: number): boolean {
  return failureOf(last) === 'preempted' && (reachedStep(last) ?? 0) > before;
}

/** Started again, it has to get beyond where the attempt before it ended; a step that nobody knows is none. */
function withoutProgress({ attempts }: RunState, last: PastAttempt): Bar | null {
  const before = attempts.filter(({ order }) => order.order.digest === last.order.order.digest);
  const furthest = Math.max(...before.map((past) => reachedStep(past) ?? 0));
  const reached = reachedStep(last);
  return before.length === 0 || (reached !== null && reached > furthest)
    ? null
    : { reason: 'no-progress', failure: failureOf(last), earlier: before.at(-1)?.submission.attempt };
}

function barOfEnvelope(state: RunState): Bar | null {
  if (restartsLeft(state) > 0) return null;
  return { reason: 'no-restarts-left', restarts: state.order?.manifest?.envelope.restarts ?? 0 };
}

/** The bad node of this attempt is proposed or being deleted. */
function isNodeInHand({ mutations, submission }: RunState): boolean {
  return mutations.some(
    ({ proposal, evidence, ended }) =>
      proposal.mutation.kind === 'delete-tpu-vm' &&
      evidence.facts['attempt'] === submission?.attempt &&
      ended === null,
  );
}

/**
 * The newest run of the lane that ended as this one did, where none went well since: what was done about it there has not
 * helped (policy DF-27). `runs`: newest first.
 */
export function failedAlike(state: RunState, runs: readonly RunState[]): RunState | null {
  const last = pastAttempt(state);
  if (last === null) return null;
  for (const other of runs) {
    if (other.run === state.run || other.proposal.lane !== state.proposal.lane) continue;
    const ended = pastAttempt(other) ?? other.attempts.at(-1);
    if (ended?.end.status === 'SUCCEEDED') return null;
    // rule DF-27
    const isSame = ended !== undefined && sameFailure(ended, last) !== null;
    if (isSame && !isAnotherPreemption(last, 0)) return other;
  }
  return null;
}

/** Whether people were asked about this attempt, and nobody has said since that it is to be tried again. */
export function isAsked(state: RunState): boolean {
  const attempt = state.submission?.attempt;
  const spokenAt = askedFor(state)?.seq ?? -1;
  return incidentsWith(state.incidents, 'relaunch-refused').some(
    ({ seq, detail }) => detail.attempt === attempt && seq > spokenAt,
  );
}

/** Whether facts are needed to say if the run is ordered again. */
export function wantsRelaunch(state: RunState): boolean {
  return responseTo(state)?.kind === 'relaunch' && !isAsked(state);
}

/**
 * Whether this attempt may still be followed by another without a new approval, and nobody has stopped the run: until then
 * a person can keep the next attempt back.
 */
export function mayBeRelaunched(state: RunState): boolean {
  if (wantsRelaunch(state) || (preApproval(state) !== null && state.stop === null && !isOver(state)))
    return true;
  const { end, stop } = state;
  return end?.status === 'FAILED' && stop === null && !isOver(state) && isNodeInHand(state);
}

/** Whether what was launched may be started again on approvals that are there, now or once it has failed: what a brake keeps back. */
export function mayStartAgain(state: RunState): boolean {
  if (state.submission === null || state.stop !== null || isOver(state)) return false;
  if (state.end === null) return restartsLeft(state) > 0;
  return mayBeRelaunched(state) || (restartsLeft(state) <= 0 && restingOn(state).length > 0);
}

/** Why another order may not follow the one that was carried out, or null: the rule of the record. */
export function relaunchRule(state: RunState, next: Order): string | null {
  if (state.end === null) return 'ordered after the job was submitted';
  const response = responseTo(state);
  if (response === null || response.kind === 'wait') return 'ordered again though no bad node was replaced';
  if (response.kind === 'ask') return `ordered again ${RULES[response.why.reason] ?? response.why.reason}`;
  if (isAsked(state)) return 'ordered again though a person was asked';
  const { order } = state;
  if (restartsLeft(state) <= 0 && !restsOnNewApprovals(state, next))
    return 'ordered again beyond the restarts that were approved';
  // rule ML-23
  return next.digest === order?.order.digest && next.commit === order.order.commit
    ? null
    : 'ordered again with another manifest or commit';
}

function restsOnNewApprovals(state: RunState, next: Order): boolean {
  const last = pastAttempt(state);
  const given = last === null ? [] : approvalsSinceEnd(state, last);
  return next.approvals.every((cited) =>
    given.some(({ comment, surface }) => comment === cited.comment && surface === cited.surface),
  );
}

const RULES: Readonly<Record<string, string>> = {
  'not-recoverable': "after a failure that is a person's",
  'stopped-by': 'after somebody had stopped it on the cluster',
  'same-failure': 'after the same failure as before',
  'no-progress': 'though it came no further than before',
  'no-restarts-left': 'beyond the restarts that were approved',
  'loss-lost': 'after a loss that was no number any more',
  'other-steps': 'after an attempt that made other steps than the one that it goes on from',
  'checkpoint-rejected': 'where it would go on from a rejected checkpoint',
};

/** Whether an approval of the manifest that failed may stand: what nothing but a new one lets start again. */
export function mayBeApprovedAgain(state: RunState): boolean {
  const last = pastAttempt(state);
  if (last === null || last.end.status === 'SUCCEEDED' || state.stop !== null || isOver(state)) return false;
  return (
    restartsLeft(state) <= 0 &&
    state.gate?.digest === last.order.order.digest &&
    state.gate.commit === last.order.order.commit &&
    mayBeTriedByHand(failureOf(last)) &&
    spoiltBy(state, last) === null
  );
}
