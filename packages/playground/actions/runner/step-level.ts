/** Lists of steps: a job's own, and those of composite actions, which have fewer contexts and separate results. */

import { assertNever } from '../../world/assert.ts';
import type { Scope } from '../expressions/evaluate.ts';
import type { StepDefinition } from '../workflow/job-schema.ts';
import type { ActionUse } from './action-parts.ts';
import { type JobFrame, type StepResult, stepScope, stepsContext } from './job-state.ts';
import type { ResolvedAction } from './resolve-action.ts';
import type { StepConclusion } from './runner-types.ts';

type Variables = Readonly<Record<string, string>>;

export type StepLevel = {
  /** The scope of expressions in the list; `env` comes from the step's own `env:`. */
  readonly scope: (env?: Variables) => Scope;
  /** The `env:` of the enclosing steps; empty for a job. */
  readonly env: Variables;
  readonly results: Record<string, StepResult>;
  /** The actions that the list's steps use, as far as they are known before they run. */
  readonly uses: ReadonlyMap<StepDefinition, ActionUse>;
  readonly begun: ActionUse[];
  readonly ended: (conclusion: StepConclusion) => void;
  readonly status: () => 'success' | 'failure' | 'cancelled';
  /** The composite action of this list, null for the job's; and its nesting depth. */
  readonly inside: ActionUse | null;
  readonly depth: number;
  /** Ends every step of the list; null where only the job ends its steps. */
  readonly signal: AbortSignal | null;
};

export function jobLevel(frame: JobFrame, uses: ReadonlyMap<StepDefinition, ActionUse>): StepLevel {
  const { state } = frame;
  return {
    scope: (env = {}) => stepScope(frame, env),
    env: {},
    results: state.steps,
    uses,
    begun: [],
    ended: (conclusion) => {
      state.status = statusAfter(state.status, conclusion);
    },
    status: () => state.status,
    inside: null,
    depth: 0,
    signal: null,
  };
}

/**
 * The steps of a composite action: its inputs and its own results, without the job's secrets, variables and needs.
 * `success()` and `failure()` consider its own steps, `cancelled()` the job (actions/runner, CompositeActionHandler).
 */
export function compositeLevel(
  frame: JobFrame,
  use: ActionUse,
  around: Pick<StepLevel, 'depth'>,
  signal: AbortSignal | null,
): StepLevel {
  const results: Record<string, StepResult> = {};
  let status: 'success' | 'failure' | 'cancelled' = 'success';
  const scope = (env: Variables = {}): Scope => {
    const { contexts, hashFiles } = stepScope(frame, { ...use.env, ...env });
    const { env: variables = {}, job = {}, strategy = {}, runner = {} } = contexts;
    const github = { ...Object(contexts.github), action_path: use.action.directory, action_status: status };
    return scopeOfAction(
      {
        status,
        isCancelled: frame.state.status === 'cancelled',
        hashFiles,
        contexts: { github, env: variables, job, strategy, runner, inputs: use.inputs, steps: stepsContext(results) },
      },
      use.action,
    );
  };
  return {
    scope,
    env: use.env,
    results,
    uses: use.parts,
    begun: use.begun,
    ended: (conclusion) => {
      status = statusAfter(status, conclusion);
    },
    status: () => status,
    inside: use,
    depth: around.depth + 1,
    signal,
  };
}

/** `github.action_repository` and `action_ref` describe the running action, and are empty for a script. */
export function scopeOfAction(scope: Scope, action: ResolvedAction | null): Scope {
  const github = {
    ...Object(scope.contexts.github),
    action_repository: action?.repository ?? '',
    action_ref: action?.ref ?? '',
  };
  return { ...scope, contexts: { ...scope.contexts, github } };
}

function statusAfter(
  status: 'success' | 'failure' | 'cancelled',
  conclusion: StepConclusion,
): 'success' | 'failure' | 'cancelled' {
  switch (conclusion) {
    case 'failure':
      return status === 'success' ? 'failure' : status;
    case 'cancelled':
      return 'cancelled';
    case 'success':
    case 'skipped':
      return status;
    default:
      return assertNever(conclusion);
  }
}
