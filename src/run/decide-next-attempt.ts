/** Relaunches a failed attempt, or asks a person. */

import { openSignatureMatch } from '../care/bad-node.ts';
import { quorumOf } from '../config/approvers.ts';
import { dispatchesFor } from '../domain/effect.ts';
import { type IncidentFacts, incidentDraft, incidentsWith } from '../domain/incidents.ts';
import { nextRung } from '../domain/launch/ladder.ts';
import { failureOf, pastAttempt, restartsLeft } from '../domain/launch/next-attempt.ts';
import { askedFor, failedAlike, isAsked, responseTo, restingOn, unstableBy } from '../domain/launch/response.ts';
import {
  type ExternalFix,
  type Fixer,
  failureDigest,
  fixBranch,
  fixMade,
  type NoExternalFix,
  openSlip,
  preApproves,
  type SlipOfAttempt,
} from '../domain/launch/small-fix.ts';
import type { Verdict } from '../domain/launch/verdict.ts';
import { limits } from '../domain/limits.ts';
import { isAdopted } from '../domain/logbook/holdings.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, type Need, need } from '../domain/reconcile-request.ts';
import { assertNever, type DigestOf, fromRfc3339, type Observed } from '../domain/values.ts';
import { fixCommitMessage, fixerCommitMessage } from '../render/failure-words.ts';
import { type OrderInput, orderStep } from './decide-launch.ts';
import type { LaneScopedConfig } from './lane.ts';
import {
  append,
  type DeciderInput,
  dispatchKey,
  dispatchOfRun,
  isHeldBack,
  laneWorkflow,
  mayTry,
  perform,
  type Step,
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
  const response = responseTo(state);
  if (response === null || response.kind === 'wait' || isAsked(state)) return null;
  if (askedFor(state) !== null) return response.kind === 'relaunch' ? byHand(input) : refused(state, response.why);
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

/** Whether the bad node is being replaced, or ferrybot asked people about it. */
function isOfNode(state: RunState): boolean {
  // The next attempt rents another machine.
  if (state.order?.manifest?.envelope.rental !== undefined) return false;
  const attempt = state.submission?.attempt;
  const unclear = incidentsWith(state.incidents, 'bad-node-unclear');
  return openSignatureMatch(state) !== null || unclear.some(({ detail }) => (detail.attempt ?? 1) === attempt);
}

/** Whether a notice already covers this failure. A rental's final failure is still reported, with the next actions (policy VA-24). */
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
  if (failing !== undefined) return refused(state, { reason: 'gate', gate: failing.gate, gateCode: failing.code });
  return open.length > 0 ? null : withRung(state, orderStep(input, digest));
}

/** Adds the change that the ladder makes, so that it is recorded with the order and posted. */
function withRung(state: RunState, step: Step | null): Step | null {
  const last = pastAttempt(state);
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

function isClosed({ outcome }: Verdict): boolean {
  return outcome === 'fail' || outcome === 'unknown';
}

function refused(state: RunState, facts: IncidentFacts<'relaunch-refused'>): Step {
  const attempt = state.submission?.attempt ?? 1;
  return append(incidentDraft('control', 'relaunch-refused', { ...facts, attempt }));
}

/** The small code failure to fix, if the lane allows fixes. */
export function slipToMend(state: RunState, { kind, lane, pinned }: LaneScopedConfig): SlipOfAttempt | null {
  // rule ML-26
  const slip = kind.fixes?.(lane).mends == null ? null : openSlip(state);
  // A job's claimed commit counts only if a branch of the repository has it.
  return slip !== null && isAdopted(state) && pinned?.commit !== slip.commit ? null : slip;
}

type FixerAsked = { readonly fixer: Fixer; readonly slip: SlipOfAttempt };

/** The failure for the lab's own fixer, or null. */
export function fixerAsked(state: RunState, config: LaneScopedConfig): FixerAsked | null {
  const slip = slipToMend(state, config);
  const fixer = config.kind.fixes?.(config.lane).fixer ?? null;
  return slip === null || fixer === null ? null : { fixer, slip };
}

/** Time for the fixer's job, including the queue. */
const FIXER_PATIENCE_MS = 2 * 60 * 60 * 1_000;
/** Leaves retries for the case that a person cancelled the workflow run or deleted its answer. */
const FIXER_DISPATCHES_MAX = 4;

type FixerInput = FixInput & { readonly asked: FixerAsked };

/** The fixer's dispatch, or its result; null while the job runs. */
function decideFixer(input: FixerInput): ExternalFix | Step | null {
  const { state, asked, facts, config, now, memory } = input;
  const { dispatches } = state;
  const failure = failureDigest(state.run, asked.slip, input.digestOf);
  const inputs = { run: state.run, failure };
  const triesMax = FIXER_DISPATCHES_MAX;
  const wanted = { ...laneWorkflow(config, 'fix'), subject: failure, inputs, triesMax };
  if (memory.outcomes.get(dispatchKey(wanted, dispatches))?.kind === 'refused') return none('fixer-not-started');
  const sent = dispatchesFor(dispatches, 'fix', failure);
  const last = sent.at(-1);
  if (last === undefined) return dispatchOfRun(input, wanted);
  if (isNotAsked(facts.fixer)) return need('fixer');
  // Wait for the next reading: control may have been down until now.
  if (facts.fixer.kind === 'unknown') return null;
  const standing = facts.fixer.value;
  switch (standing.kind) {
    case 'answered':
      return standing.fix;
    case 'under-way':
      return now - (fromRfc3339(last.at) ?? 0) >= FIXER_PATIENCE_MS ? none('fixer-late') : null;
    case 'taken-away':
      return sent.length >= FIXER_DISPATCHES_MAX ? none('fixer-cancelled') : dispatchOfRun(input, wanted);
    default:
      return assertNever(standing);
  }
}

function none(reason: NoExternalFix): ExternalFix {
  return { kind: 'none', reason };
}

type FixInput = DeciderInput & { readonly digestOf: DigestOf };

/** The next step; null while a fact is missing, the run is held, or its thread is closed. */
export function decideFix(input: FixInput): Step | null {
  const { state, facts, config } = input;
  const slip = slipToMend(state, config);
  const { smallFix: found, pull, journalHolds } = facts;
  if (slip === null) return null;
  if (isNotAsked(pull)) return need('comments');
  if (pull.kind === 'unknown' || pull.value.state === 'closed' || isHeldBack(state, journalHolds)) return null;
  if (isNotAsked(found)) return need('smallFix');
  if (found.kind === 'unknown') return null;
  const fix = found.value;
  if (fix.kind === 'fix') {
    const { path, text, diff } = fix;
    const beforehand = namedBy(state, path);
    return commitOf(input, slip, {
      files: { [path]: text },
      message: fixCommitMessage(path, state.run, slip.attempt),
      told: { place: `${path}:${slip.line}`, diff, ...beforehand },
    });
  }
  const asked = fixerAsked(state, config);
  return asked === null ? notMade(slip.attempt, fix.reason) : external(input, asked);
}

/** Asks the lab's fixer after the built-in one found nothing. */
function external(input: FixInput, asked: FixerAsked): Step | null {
  const { slip } = asked;
  const outcome = decideFixer({ ...input, asked });
  if (outcome?.kind === 'none') return notMade(slip.attempt, outcome.reason);
  if (outcome?.kind !== 'fix') return outcome;
  const { files, place, diff } = outcome;
  return commitOf(input, slip, {
    files,
    message: fixerCommitMessage(Object.keys(files), input.state.run, slip.attempt),
    told: { place, diff, by: 'fixer' },
  });
}

type Made = {
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
  readonly told: Pick<IncidentFacts<'fix-made'>, 'place' | 'diff' | 'beforehand' | 'by'>;
};

function commitOf({ state, memory }: FixInput, slip: SlipOfAttempt, made: Made): Step | null {
  const { attempt, commit: base } = slip;
  const key = `fix:${attempt}`;
  const outcome = memory.outcomes.get(key);
  if (outcome?.kind === 'refused') return notMade(attempt, outcome.code);
  if (outcome?.kind === 'done' && outcome.sha !== undefined)
    return append(incidentDraft('control', 'fix-made', { attempt, commit: outcome.sha, base, ...made.told }));
  if (!mayTry(memory, key, limits.effectTriesMax)) return null;
  const branch = fixBranch(state);
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
function namedBy({ order }: RunState, path: string): { readonly beforehand?: string } {
  if (order === null || !preApproves(order.manifest, path)) return {};
  return { beforehand: order.order.digest.slice('sha256:'.length, 'sha256:'.length + 12) };
}

function notMade(attempt: number, reason: string): Step {
  return append(incidentDraft('control', 'fix-not-made', { attempt, reason }));
}
