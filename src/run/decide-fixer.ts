/** Asks the lab's own fixer, once per run and in a separate workflow. */

import { assertNever } from '../domain/assert.ts';
import { dispatchesFor } from '../domain/dispatch.ts';
import type { RunFacts } from '../domain/facts.ts';
import type { DigestOf, Instant } from '../domain/ids.ts';
import { type ExternalFix, failureDigest, type NoExternalFix } from '../domain/launch/fixer.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { isNotAsked, need } from '../domain/need.ts';
import { fromRfc3339 } from '../domain/time.ts';
import { decideDispatch, dispatchKey } from './dispatch.ts';
import type { LaneScopedConfig } from './lane-scope.ts';
import type { FixerAsked } from './slip-to-mend.ts';
import type { AttemptCache, Step } from './step.ts';

/** Time for the fixer's job, including the queue. */
const FIXER_PATIENCE_MS = 2 * 60 * 60 * 1_000;
/** Retries after a person cancelled the workflow run or deleted its answer. */
const FIXER_DISPATCHES_MAX = 4;

export type FixerInput = {
  readonly state: RunState;
  readonly asked: FixerAsked;
  readonly facts: RunFacts;
  readonly config: LaneScopedConfig;
  readonly now: Instant;
  readonly memory: AttemptCache;
  readonly digestOf: DigestOf;
};

/** The dispatch, or its result; null while the job runs. */
export function decideFixer(input: FixerInput): ExternalFix | Step | null {
  const { state, asked, facts, config, now, memory } = input;
  const { dispatches } = state;
  const failure = failureDigest(state.run, asked.slip, input.digestOf);
  const wanted = {
    workflow: 'fix',
    subject: failure,
    file: config.workflows.fix,
    ref: config.lane.targetBranch,
    inputs: { run: state.run, failure },
    since: 0,
    triesMax: FIXER_DISPATCHES_MAX,
    overdueMs: null,
  } as const;
  if (memory.outcomes.get(dispatchKey(wanted, dispatches))?.kind === 'refused')
    return none('fixer-not-started');
  const sent = dispatchesFor(dispatches, 'fix', failure);
  const last = sent.at(-1);
  if (last === undefined) return decideDispatch(wanted, { dispatches, ...facts, now, memory });
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
      return sent.length >= FIXER_DISPATCHES_MAX
        ? none('fixer-cancelled')
        : decideDispatch(wanted, { dispatches, ...facts, now, memory });
    default:
      return assertNever(standing);
  }
}

function none(reason: NoExternalFix): ExternalFix {
  return { kind: 'none', reason };
}
