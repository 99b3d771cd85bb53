/** Commits a small fix on the run's branch; the commit itself needs no approval. */

import { assertNever } from '../domain/assert.ts';
import { dispatchesFor } from '../domain/dispatch.ts';
import type { DigestOf } from '../domain/ids.ts';
import { type IncidentFacts, incidentDraft } from '../domain/incidents.ts';
import { type ExternalFix, failureDigest, type NoExternalFix } from '../domain/launch/fixer.ts';
import { preApproves } from '../domain/launch/pre-approval.ts';
import { fixBranch, type SlipOfAttempt } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { fixCommitMessage, fixerCommitMessage } from '../render/failure-words.ts';
import { dispatchKey, dispatchOfRun, isHeldBack, laneWorkflow } from './dispatch.ts';
import { type FixerAsked, fixerAsked, slipToMend } from './slip-to-mend.ts';
import { append, type DeciderInput, mayTry, perform, type Step } from './step.ts';

/** Time for the fixer's job, including the queue. */
const FIXER_PATIENCE_MS = 2 * 60 * 60 * 1_000;
/** Retries after a person cancelled the workflow run or deleted its answer. */
const FIXER_DISPATCHES_MAX = 4;

type FixerInput = FixInput & { readonly asked: FixerAsked };

/** The dispatch, or its result; null while the job runs. */
function decideFixer(input: FixerInput): ExternalFix | Step | null {
  const { state, asked, facts, config, now, memory } = input;
  const { dispatches } = state;
  const failure = failureDigest(state.run, asked.slip, input.digestOf);
  const inputs = { run: state.run, failure };
  const triesMax = FIXER_DISPATCHES_MAX;
  const wanted = { ...laneWorkflow(config, 'fix'), subject: failure, inputs, triesMax };
  if (memory.outcomes.get(dispatchKey(wanted, dispatches))?.kind === 'refused')
    return none('fixer-not-started');
  const sent = dispatchesFor(dispatches, 'fix', failure);
  const last = sent.at(-1);
  if (last === undefined) return dispatchOfRun(input, wanted);
  if (isNotAsked(facts.fixer)) return need('fixer');
  // Retry: control may have been down until now.
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

export type FixInput = DeciderInput & { readonly digestOf: DigestOf };

/** The next step; null while a fact is missing, the run is held, or its thread is closed. */
export function decideFix(input: FixInput): Step | null {
  const { state, facts, config } = input;
  const slip = slipToMend(state, config);
  const { smallFix: found, pull, journalHolds } = facts;
  if (slip === null) return null;
  if (isNotAsked(pull)) return need('comments');
  if (pull.kind === 'unknown' || pull.value.state === 'closed' || isHeldBack(state, journalHolds))
    return null;
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

/** The lab's fixer, asked when the built-in one finds nothing. */
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
