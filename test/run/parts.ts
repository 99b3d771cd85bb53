// A run with gates recorded from the same facts that the decisions read, and the input of each decision.

import type { GateView } from '../../src/commands/decision.ts';
import type { CommentFacts, RunFacts } from '../../src/domain/facts.ts';
import { findApprovedManifest, type RunState, shownSince } from '../../src/domain/logbook/run-state.ts';
import { commentId } from '../../src/domain/marker.ts';
import { factKey } from '../../src/domain/reconcile-request.ts';
import { known } from '../../src/domain/values.ts';
import { canonicalDigest } from '../../src/logbook/chain.ts';
import { gatherApprovalFacts } from '../../src/run/approvals.ts';
import { type CommandInput, type CommandOutcome, decideCommand } from '../../src/run/decide-commands.ts';
import { type GateEvaluation, gateRun } from '../../src/run/gate-run.ts';
import type { ReconcileInput } from '../../src/run/reconcile.ts';
import { type AttemptCache, NO_ATTEMPTS, type Step } from '../../src/run/step.ts';
import { aRun, type RunBuilder } from '../support/run-builder.ts';
import { digestOf } from '../support/run-drafts.ts';
import { aComment, NOON, someFacts } from '../support/run-facts.ts';
import { aConfig } from '../support/run-parts.ts';

export const CONFIG = aConfig();
export const REPOSITORY = 'lab/models';

/** Keeps the approving comments unchanged, also when the facts show no threads. */
export function withApprovals(state: RunState, facts: RunFacts = someFacts()): RunFacts {
  const standing = state.approvals.map(({ surface, comment, actor, bodyDigest, digest }) => {
    const written = aComment(actor, approveLineFor(digest), { surface, id: comment, bodyDigest });
    return [commentId(written), known(written)] as const;
  });
  return { ...facts, cited: new Map([...standing, ...facts.cited]) };
}

export function evaluateGatesOn(state: RunState, given: RunFacts = someFacts(), config = CONFIG): GateEvaluation {
  const facts = withApprovals(state, given);
  return gateRun({
    run: state.run,
    proposal: state.proposal,
    holds: state.holds,
    config,
    repository: REPOSITORY,
    now: NOON,
    approvals: known(gatherApprovalFacts(state, facts, config, NOON)),
    approved: findApprovedManifest(state),
    facts,
    digestOf,
  });
}

/** The command that approves the manifest with this digest. */
export function approveLineFor(digest: string): string {
  return `/approve-launch ${digest.slice('sha256:'.length, 'sha256:'.length + 32)}`;
}

/** The gates as a command reads them. */
export function gateViewOf(state: RunState, facts: RunFacts): GateView {
  const { verdicts, approvals } = evaluateGatesOn(state, facts);
  const body = facts.body.kind === 'known' ? facts.body.value.fingerprint : digestOf('');
  const commit = facts.change.kind === 'known' ? facts.change.value.headSha : null;
  return { digest: state.gate?.digest ?? null, commit, body, verdicts, approvals };
}

/** Proposed, and gated by the given facts. */
export function runWithGates(facts: RunFacts = someFacts(), config = CONFIG): RunBuilder {
  const run = aRun();
  const { manifest, verdicts } = evaluateGatesOn(run.state, facts, config);
  if (manifest.kind === 'unknown') throw new Error(manifest.why);
  return run.gated({
    digest: canonicalDigest(manifest.value, digestOf),
    manifest: manifest.value,
    verdicts,
    ...(facts.body.kind === 'known' ? { body: facts.body.value.fingerprint } : {}),
  });
}

/** The same run with its manifest shown since the gates recorded it. */
export function withShownCard(state: RunState): RunState {
  const { gate } = state;
  if (gate?.digest == null) return state;
  const { digest, body, at, seq } = gate;
  const shown = { digest, body, thread: 13, comment: 9, text: 'a'.repeat(64), shownAt: at, at, seq };
  return { ...state, shown };
}

/** The outcome of the first command among the comments, at noon unless another time is given. */
export function factsAtNoon(
  { state }: RunBuilder,
  comments: readonly CommentFacts[],
  change: Partial<RunFacts> = {},
  more: Partial<CommandInput> = {},
): CommandOutcome {
  const facts = someFacts({ comments: known(comments), ...change });
  const gates = gateViewOf(state, facts);
  return decideCommand({
    state: withShownCard(state),
    facts,
    config: CONFIG,
    now: NOON,
    gates,
    areGatesDue: true,
    shownSince: (digest) => shownSince(more.state ?? withShownCard(state), digest),
    verdict: 'pass',
    repository: REPOSITORY,
    digestOf,
    ...more,
  });
}

export function reconcileInput(
  run: RunBuilder,
  facts: RunFacts = someFacts(),
  change: Partial<ReconcileInput> = {},
): ReconcileInput {
  return {
    state: run.state,
    facts: withApprovals(run.state, facts),
    config: CONFIG,
    repository: REPOSITORY,
    now: NOON,
    memory: NO_ATTEMPTS,
    digestOf,
    ...change,
  };
}

export const cacheWith = (change: Partial<AttemptCache>): AttemptCache => ({ ...NO_ATTEMPTS, ...change });
export const cacheOfDone = (...keys: readonly string[]): AttemptCache =>
  cacheWith({ outcomes: new Map(keys.map((key) => [key, { kind: 'done', number: 14 }])) });

/**
 * Names a step: the types of the recorded events, the key and kind of the action, or the fact that is
 * needed.
 */
export function describeStep(step: Step | null): string {
  if (step === null) return 'nothing';
  if (step.kind === 'perform') return `${step.effect.kind} ${step.key.split(':')[0] ?? ''}`;
  if (step.kind === 'need') return `need ${step.facts.map(factKey).join(', ')}`;
  return step.drafts.map((draft) => draft.type).join(', ');
}
