/** Relaunches a failed attempt, or asks a person. */

import { findOpenBadNodeMatch } from '../care/bad-node.ts';
import { requiredQuorum } from '../config/lane-of-file.ts';
import { dispatchesFor } from '../domain/effect.ts';
import { filterIncidents, type IncidentFacts, incidentDraft } from '../domain/incidents.ts';
import { nextRung } from '../domain/launch/ladder.ts';
import { failureOf, lastEnded, restartsLeft } from '../domain/launch/next-attempt.ts';
import {
  decideResponse,
  findInstabilityDetector,
  findRunWithSameFailure,
  isRelaunchRequested,
  pendingRelaunchRequest,
  usableApprovals,
} from '../domain/launch/response.ts';
import {
  chooseFixBranch,
  type ExternalFix,
  type Fixer,
  failureDigest,
  findFixMade,
  findOpenMistake,
  type NoExternalFix,
  preApproves,
  type SmallMistake,
} from '../domain/launch/small-fix.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, type Need, request } from '../domain/reconcile-request.ts';
import { assertNever, type DigestOf, fromRfc3339, type Observed } from '../domain/values.ts';
import { buildFixCommitMessage, buildFixerCommitMessage } from '../render/failure-words.ts';
import { buildOrder, type OrderInput } from './decide-launch.ts';
import type { LaneScopedConfig } from './lane.ts';
import {
  append,
  canTry,
  type DeciderInput,
  dispatchAttemptKey,
  dispatchOfRun,
  isRunHeld,
  perform,
  type Step,
  workflowForLane,
} from './step.ts';

export type RelaunchInput = OrderInput & {
  readonly runs: Observed<readonly RunState[]>;
  /** Facts that the gates need but that were not read yet. */
  readonly unread: readonly Need[];
  readonly config: LaneScopedConfig;
};

/** The order of the next attempt, the reason why there is none, or null while a fact is missing. */
export function decideRelaunch(input: RelaunchInput): Step | null {
  const { state, runs } = input;
  const response = decideResponse(state);
  if (response === null || response.kind === 'wait' || isRelaunchRequested(state)) return null;
  if (pendingRelaunchRequest(state) !== null)
    return response.kind === 'relaunch' ? relaunchByPerson(input) : reportRelaunchRefused(state, response.why);
  // The comment with the fix already asks people.
  if (isNodeFailure(state) || findFixMade(state)?.detail.attempt === state.submission?.attempt) return null;
  if (response.kind === 'ask')
    return isRefusalReported(state, response.why) ? null : reportRelaunchRefused(state, response.why);
  const last = lastEnded(state);
  const unstable = last === null ? null : findInstabilityDetector(state, last);
  // rule HR-44
  if (unstable !== null) return reportRelaunchRefused(state, { reason: 'unstable', failure: unstable });
  if (runs.kind === 'unknown') return null;
  const alike = findRunWithSameFailure(state, runs.value);
  if (alike !== null) return reportRelaunchRefused(state, { reason: 'same-in-lane', run: alike.run });
  return relaunchOnCurrentFacts(input);
}

/** Beyond the approved restarts, the full quorum must approve again. */
function relaunchByPerson(input: RelaunchInput): Step | null {
  const { state, config } = input;
  const people = new Set(usableApprovals(state).map(({ actor }) => actor.id));
  return restartsLeft(state) > 0 || people.size >= requiredQuorum(config) ? relaunchOnCurrentFacts(input) : null;
}

/** Whether the bad node is being replaced, or ferrybot asked people about it. */
function isNodeFailure(state: RunState): boolean {
  // The next attempt rents another machine.
  if (state.order?.manifest?.envelope.rental !== undefined) return false;
  const attempt = state.submission?.attempt;
  const unclear = filterIncidents(state.incidents, 'bad-node-unclear');
  return findOpenBadNodeMatch(state) !== null || unclear.some(({ detail }) => (detail.attempt ?? 1) === attempt);
}

/** Whether a notice already covers this failure. A rental's final failure is still reported, with the next actions (policy VA-24). */
function isRefusalReported(state: RunState, { reason }: IncidentFacts<'relaunch-refused'>): boolean {
  if (state.order?.manifest?.envelope.rental !== undefined) return false;
  const attempt = state.submission?.attempt;
  const told = filterIncidents(state.incidents, 'failure-signature');
  return reason === 'not-recoverable' && told.some(({ detail }) => (detail.attempt ?? 1) === attempt);
}

function relaunchOnCurrentFacts(input: RelaunchInput): Step | null {
  const { state, gated } = input;
  const { change } = gated.facts;
  if (state.gate === null) return null;
  if (input.unread.length > 0) return request(...input.unread);
  if (gated.bound.kind === 'unknown' || change.kind === 'unknown') return null;
  const { digest, body } = gated.bound.value;
  const { order } = state;
  const isMoved = change.value.headSha !== order?.order.commit;
  if (isMoved || digest !== order.order.digest || body !== state.gate.body)
    return reportRelaunchRefused(state, { reason: 'manifest-changed' });
  // rule HR-50
  const open = [...gated.verdicts, ...gated.approvals].filter(isClosedVerdict);
  const failing = open.find(({ outcome }) => outcome === 'fail');
  if (failing !== undefined)
    return reportRelaunchRefused(state, { reason: 'gate', gate: failing.gate, gateCode: failing.code });
  return open.length > 0 ? null : addLadderStep(state, buildOrder(input, digest));
}

/** Adds the change that the ladder makes, so that it is recorded with the order and posted. */
function addLadderStep(state: RunState, step: Step | null): Step | null {
  const last = lastEnded(state);
  if (step?.kind !== 'append' || last === null) return step;
  const next = nextRung(state);
  if (next === null) return step;
  const facts = {
    attempt: last.submission.attempt + 1,
    failure: failureOf(last),
    ...next,
    left: Math.max(0, restartsLeft(state) - 1),
  };
  return append(incidentDraft('control', 'rung-taken', facts), ...step.drafts);
}

function isClosedVerdict({ outcome }: Verdict): boolean {
  return outcome === 'fail' || outcome === 'unknown';
}

function reportRelaunchRefused(state: RunState, facts: IncidentFacts<'relaunch-refused'>): Step {
  const attempt = state.submission?.attempt ?? 1;
  return append(incidentDraft('control', 'relaunch-refused', { ...facts, attempt }));
}

/** The small code failure to fix, if the lane allows fixes. */
export function findMistakeToFix(state: RunState, { kind, lane, pinned }: LaneScopedConfig): SmallMistake | null {
  // rule ML-26
  const slip = kind.fixes?.(lane).mayFix == null ? null : findOpenMistake(state);
  // A job's claimed commit counts only if a branch of the repository has it.
  return slip !== null && isAdopted(state) && pinned?.commit !== slip.commit ? null : slip;
}

type FixerAsked = { readonly fixer: Fixer; readonly slip: SmallMistake };

/** The failure for the lab's own fixer, or null. */
export function findFixerRequest(state: RunState, config: LaneScopedConfig): FixerAsked | null {
  const slip = findMistakeToFix(state, config);
  const fixer = config.kind.fixes?.(config.lane).fixer ?? null;
  return slip === null || fixer === null ? null : { fixer, slip };
}

/** Time for the fixer's job, including the queue. */
const FIXER_PATIENCE_MS = 2 * 60 * 60 * 1_000;
/** Leaves retries for the case that a person cancelled the workflow run or deleted its answer. */
const FIXER_DISPATCHES_MAX = 4;

type FixerInput = FixInput & { readonly request: FixerAsked };

/** The fixer's dispatch, or its result; null while the job runs. */
function decideFixer(input: FixerInput): ExternalFix | Step | null {
  const { state, request: asked, facts, config, now, memory } = input;
  const { dispatches } = state;
  const failure = failureDigest(state.run, asked.slip, input.digestOf);
  const inputs = { run: state.run, failure };
  const triesMax = FIXER_DISPATCHES_MAX;
  const wanted = { ...workflowForLane(config, 'fix'), subject: failure, inputs, triesMax };
  if (memory.outcomes.get(dispatchAttemptKey(wanted, dispatches))?.kind === 'refused')
    return noFix('fixer-not-started');
  const sent = dispatchesFor(dispatches, 'fix', failure);
  const last = sent.at(-1);
  if (last === undefined) return dispatchOfRun(input, wanted);
  if (isNotAsked(facts.fixer)) return request('fixer');
  // Wait for the next reading: control may have been down until now.
  if (facts.fixer.kind === 'unknown') return null;
  const standing = facts.fixer.value;
  switch (standing.kind) {
    case 'answered':
      return standing.fix;
    case 'under-way':
      return now - (fromRfc3339(last.at) ?? 0) >= FIXER_PATIENCE_MS ? noFix('fixer-late') : null;
    case 'taken-away':
      return sent.length >= FIXER_DISPATCHES_MAX ? noFix('fixer-cancelled') : dispatchOfRun(input, wanted);
    default:
      return assertNever(standing);
  }
}

function noFix(reason: NoExternalFix): ExternalFix {
  return { kind: 'none', reason };
}

type FixInput = DeciderInput & { readonly digestOf: DigestOf };

/** The next step; null while a fact is missing, the run is held, or its thread is closed. */
export function decideFix(input: FixInput): Step | null {
  const { state, facts, config } = input;
  const slip = findMistakeToFix(state, config);
  const { smallFix: found, pull, journalHolds } = facts;
  if (slip === null) return null;
  if (isNotAsked(pull)) return request('comments');
  if (pull.kind === 'unknown' || pull.value.state === 'closed' || isRunHeld(state, journalHolds)) return null;
  if (isNotAsked(found)) return request('smallFix');
  if (found.kind === 'unknown') return null;
  const fix = found.value;
  if (fix.kind === 'fix') {
    const { path, text, diff } = fix;
    const beforehand = preApprovalName(state, path);
    return commitFix(input, slip, {
      files: { [path]: text },
      message: buildFixCommitMessage(path, state.run, slip.attempt),
      facts: { place: `${path}:${slip.line}`, diff, ...beforehand },
    });
  }
  const asked = findFixerRequest(state, config);
  return asked === null ? reportNoFix(slip.attempt, fix.reason) : decideExternalFix(input, asked);
}

/** Asks the lab's fixer after the built-in one found nothing. */
function decideExternalFix(input: FixInput, asked: FixerAsked): Step | null {
  const { slip } = asked;
  const outcome = decideFixer({ ...input, request: asked });
  if (outcome?.kind === 'none') return reportNoFix(slip.attempt, outcome.reason);
  if (outcome?.kind !== 'fix') return outcome;
  const { files, place, diff } = outcome;
  return commitFix(input, slip, {
    files,
    message: buildFixerCommitMessage(Object.keys(files), input.state.run, slip.attempt),
    facts: { place, diff, by: 'fixer' },
  });
}

type MadeFix = {
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
  readonly facts: Pick<IncidentFacts<'fix-made'>, 'place' | 'diff' | 'beforehand' | 'by'>;
};

function commitFix({ state, memory }: FixInput, slip: SmallMistake, made: MadeFix): Step | null {
  const { attempt, commit: base } = slip;
  const key = `fix:${attempt}`;
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'refused') return reportNoFix(attempt, outcome.code);
  if (outcome?.kind === 'done' && outcome.sha !== undefined)
    return append(incidentDraft('control', 'fix-made', { attempt, commit: outcome.sha, base, ...made.facts }));
  if (!canTry(memory, key, limits.effectTriesMax)) return null;
  const branch = chooseFixBranch(state);
  return perform(key, {
    kind: 'push-branch',
    branch: branch.name,
    base,
    files: made.files,
    message: made.message,
    // A fixed commit time: two processes create the same commit.
    onto: { atMs: fromRfc3339(slip.endedAt) ?? 0, ...(branch.isNew ? { isNewBranch: true } : {}) },
  });
}

/** For display: the manifest that pre-approved a fix of this file. */
function preApprovalName({ order }: RunState, path: string): { readonly beforehand?: string } {
  if (order === null || !preApproves(order.manifest, path)) return {};
  return { beforehand: order.order.digest.slice('sha256:'.length, 'sha256:'.length + 12) };
}

function reportNoFix(attempt: number, reason: string): Step {
  return append(incidentDraft('control', 'fix-not-made', { attempt, reason }));
}
