/** Relaunches a failed attempt, or asks a person. */

import { openSignatureMatch } from '../care/bad-node.ts';
import { quorumOf } from '../config/approvers.ts';
import { type IncidentFacts, incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { failureOf } from '../domain/launch/fingerprint.ts';
import { reductionsTaken, repairsTaken, rungFor } from '../domain/launch/ladder.ts';
import { pastAttempt } from '../domain/launch/next-attempt.ts';
import { restartsLeft } from '../domain/launch/relaunch.ts';
import { askedFor, failedAlike, isAsked, responseTo, restingOn } from '../domain/launch/response.ts';
import { fixMade } from '../domain/launch/small-fix.ts';
import { unstableBy } from '../domain/launch/spoilt.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { type Need, need } from '../domain/need.ts';
import type { Observed } from '../domain/observed.ts';
import { type OrderInput, orderStep } from './decide-order.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import { append, type Step } from './step.ts';

export type RelaunchInput = OrderInput & {
  readonly runs: Observed<readonly RunState[]>;
  /** Facts that the gates need and that were not read. */
  readonly unread: readonly Need[];
  readonly config: LaneScopedConfig;
};

/** The order of the next attempt, the reason why there is none, or null while a fact is missing. */
export function decideRelaunch(input: RelaunchInput): Step | null {
  const { state, runs } = input;
  const response = responseTo(state);
  if (response === null || response.kind === 'wait' || isAsked(state)) return null;
  if (askedFor(state) !== null)
    return response.kind === 'relaunch' ? byHand(input) : refused(state, response.why);
  // The comment with the fix already asks people.
  if (isOfNode(state) || fixMade(state)?.detail.attempt === state.submission?.attempt) return null;
  if (response.kind === 'ask') return isTold(state, response.why) ? null : refused(state, response.why);
  const last = pastAttempt(state);
  const unstable = last === null ? null : unstableBy(state, last);
  // rule HR-44
  if (unstable !== null) return refused(state, { reason: 'unstable', failure: unstable });
  if (runs.kind === 'unknown') return null;
  const alike = failedAlike(state, runs.value);
  if (alike !== null) return refused(state, { reason: 'same-in-lane', run: alike.run });
  return onTodaysFacts(input);
}

/** Beyond the approved restarts, the full quorum must approve again. */
function byHand(input: RelaunchInput): Step | null {
  const { state, config } = input;
  const people = new Set(restingOn(state).map(({ actor }) => actor.id));
  return restartsLeft(state) > 0 || people.size >= quorumOf(config) ? onTodaysFacts(input) : null;
}

/** Whether the bad node is being replaced, or people were asked about it. */
function isOfNode(state: RunState): boolean {
  // The next attempt rents another machine.
  if (state.order?.manifest?.envelope.rental !== undefined) return false;
  const attempt = state.submission?.attempt;
  const unclear = incidentsWith(state.incidents, 'bad-node-unclear');
  return (
    openSignatureMatch(state) !== null || unclear.some(({ detail }) => (detail.attempt ?? 1) === attempt)
  );
}

/** The failure signature was already reported. A rental's final failure is still reported with the next actions (policy VA-24). */
function isTold(state: RunState, { reason }: IncidentFacts<'relaunch-refused'>): boolean {
  if (state.order?.manifest?.envelope.rental !== undefined) return false;
  const attempt = state.submission?.attempt;
  const told = incidentsWith(state.incidents, 'failure-signature');
  return reason === 'not-recoverable' && told.some(({ detail }) => (detail.attempt ?? 1) === attempt);
}

function onTodaysFacts(input: RelaunchInput): Step | null {
  const { state, gated } = input;
  const { change } = gated.facts;
  if (state.gate === null) return null;
  if (input.unread.length > 0) return need(...input.unread);
  if (gated.bound.kind === 'unknown' || change.kind === 'unknown') return null;
  const { digest, body } = gated.bound.value;
  const { order } = state;
  const isMoved = change.value.headSha !== order?.order.commit;
  if (isMoved || digest !== order.order.digest || body !== state.gate.body)
    return refused(state, { reason: 'manifest-changed' });
  // rule HR-50
  const open = [...gated.verdicts, ...gated.approvals].filter(isClosed);
  const failing = open.find(({ outcome }) => outcome === 'fail');
  if (failing !== undefined)
    return refused(state, { reason: 'gate', gate: failing.gate, gateCode: failing.code });
  return open.length > 0 ? null : withRung(state, orderStep(input, digest));
}

/** Every change of the ladder is recorded with the order and posted. */
function withRung(state: RunState, step: Step | null): Step | null {
  const last = pastAttempt(state);
  if (step?.kind !== 'append' || last === null) return step;
  const failure = failureOf(last);
  const rung = rungFor(state, failure);
  if (rung === null) return step;
  const change = rung === 'reduce' ? reductionsTaken(state) : rung === 'repair' ? repairsTaken(state) : null;
  const facts = {
    attempt: last.submission.attempt + 1,
    failure,
    rung,
    ...(change === null ? {} : { with: change.at(-1) ?? '' }),
    left: Math.max(0, restartsLeft(state) - 1),
  };
  return append(incidentDraft('control', 'rung-taken', facts), ...step.drafts);
}

function isClosed({ outcome }: Verdict): boolean {
  return outcome === 'fail' || outcome === 'unknown';
}

function refused(state: RunState, facts: IncidentFacts<'relaunch-refused'>): Step {
  const attempt = state.submission?.attempt ?? 1;
  return append(incidentDraft('control', 'relaunch-refused', { ...facts, attempt }));
}
