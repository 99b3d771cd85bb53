/** Has the lab's own fixer asked about a slip that the built-in one knows no correction of: once a run, by a workflow of its own. */

import { assertNever } from '../domain/assert.ts';
import type { WorkflowRunFacts } from '../domain/facts.ts';
import type { Digest, DigestOf, Instant } from '../domain/ids.ts';
import {
  type ExternalFix,
  type FixerStanding,
  failureDigest,
  type NoExternalFix,
} from '../domain/launch/fixer.ts';
import type { SlipOfAttempt } from '../domain/launch/small-fix.ts';
import { limits } from '../domain/limits.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { Observed } from '../domain/observed.ts';
import { fromRfc3339 } from '../domain/time.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import type { FixerAsked } from './slip-to-mend.ts';
import { type AttemptCache, isDone, mayTry, perform, type Step } from './step.ts';

/** How long its job may take, in its queue and on its machine, until people are told that nothing came of it. */
const FIXER_PATIENCE_MS = 2 * 60 * 60 * 1_000;

/** The runs of the workflow that were asked about this failure, the first of them first. */
export function runsOfFixer(
  listed: readonly WorkflowRunFacts[],
  failure: Digest,
  slip: SlipOfAttempt,
): readonly WorkflowRunFacts[] {
  const since = (fromRfc3339(slip.endedAt) ?? 0) - limits.clockSlackMs;
  const ours = listed.filter((run) => run.title.includes(failure) && run.createdAt >= since);
  return ours.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id);
}

/**
 * Whether the run of the workflow counts as no try: whoever may write can cancel it, or delete what it left. One that went
 * well has left something.
 */
export function wasTakenAway({ status, conclusion }: WorkflowRunFacts, hasAnswer: boolean): boolean {
  const isOver = status === 'completed' && !hasAnswer;
  return isOver && ['cancelled', 'skipped', 'stale', 'action_required', 'success'].includes(conclusion ?? '');
}

export type FixerInput = {
  readonly state: RunState;
  readonly asked: FixerAsked;
  readonly standing: Observed<FixerStanding>;
  readonly config: LaneScopedConfig;
  readonly now: Instant;
  readonly memory: AttemptCache;
  readonly digestOf: DigestOf;
};

/** The question, or what came of it; null while its job is under way. */
export function decideFixer(input: FixerInput): ExternalFix | Step | null {
  const { asked, standing, now } = input;
  // What GitHub cannot tell is asked again: nobody knows how long control was away before this look.
  if (standing.kind === 'unknown') return null;
  switch (standing.value.kind) {
    case 'answered':
      return standing.value.fix;
    case 'asked':
      return isLate(standing.value.since, now) ? none('fixer-late') : null;
    case 'not-asked': {
      const { inVain } = standing.value;
      return inVain !== null && isLate(endOf(asked), now) ? none(inVain) : ask(input);
    }
    default:
      return assertNever(standing.value);
  }
}

/** Dispatched just now counts as asked, though no list shows it yet. */
function ask({ state, asked, config, now, memory, digestOf }: FixerInput): ExternalFix | Step | null {
  const { slip } = asked;
  const key = `fixer:${slip.attempt}:${Math.floor((now - endOf(asked)) / limits.redispatchPeriodMs)}`;
  if (memory.outcomes.get(key)?.kind === 'refused') return none('fixer-not-started');
  if (isDone(memory, key) || !mayTry(memory, key, limits.effectTriesMax)) return null;
  return perform(key, {
    kind: 'dispatch-workflow',
    workflow: config.workflows.fix,
    ref: config.lane.targetBranch,
    inputs: { run: state.run, failure: failureDigest(state.run, slip, digestOf) },
  });
}

function endOf({ slip }: FixerAsked): number {
  return fromRfc3339(slip.endedAt) ?? 0;
}

function isLate(since: number, now: Instant): boolean {
  return now - since >= FIXER_PATIENCE_MS;
}

function none(reason: NoExternalFix): ExternalFix {
  return { kind: 'none', reason };
}
