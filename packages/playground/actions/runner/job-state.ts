/** The state of a running job (status, environment, results) and the scope of its expressions. */

import type { Json } from '../../world/json.ts';
import { evaluateCondition, evaluateText, type Scope, type StatusSoFar } from '../expressions/evaluate.ts';
import { hashFiles } from '../expressions/hash-files.ts';
import type { Scalar } from '../workflow/shared-schema.ts';
import { WorkflowFault } from '../workflow/workflow-fault.ts';
import { isSelfHosted } from './environment.ts';
import type { Executor, JobWork, Places, StepConclusion } from './runner-types.ts';

export type StepResult = {
  readonly outputs: Readonly<Record<string, string>>;
  readonly outcome: StepConclusion;
  readonly conclusion: StepConclusion;
};

/** Modified in place when a step ends. */
export type JobState = {
  status: Exclude<StatusSoFar, 'skipped'>;
  /** The `env:` of workflow and job, then what steps wrote to GITHUB_ENV. */
  readonly env: Record<string, string>;
  /** Entries added in front of PATH, newest first. */
  readonly paths: string[];
  readonly steps: Record<string, StepResult>;
  summary: string;
  /** The runner's name for the current step: `github.action`. */
  action: string;
};

export type JobFrame = {
  readonly work: JobWork;
  readonly places: Places;
  readonly executor: Executor;
  readonly state: JobState;
};

export function createJobState(): JobState {
  return { status: 'success', env: {}, paths: [], steps: {}, summary: '', action: '' };
}

/** The scope of a step's expressions; `stepEnv` comes from the step's own `env:`. */
export function stepScope(frame: JobFrame, stepEnv: Readonly<Record<string, string>> = {}): Scope {
  const { work, places, executor, state } = frame;
  return {
    status: state.status,
    hashFiles: executor.readsActions ? (patterns) => hashFiles(places.workspace, patterns) : null,
    contexts: {
      github: {
        ...work.github,
        token: work.token,
        event: work.payload,
        event_path: places.eventFile,
        workspace: places.workspace,
        action: state.action,
      },
      env: { ...state.env, ...stepEnv },
      vars: work.vars,
      secrets: { ...work.secrets, GITHUB_TOKEN: work.token },
      inputs: work.inputs,
      needs: work.needs,
      steps: stepsContext(state.steps),
      job: { status: state.status, check_run_id: work.checkRunId },
      strategy: NO_STRATEGY,
      runner: {
        name: work.runner.name,
        os: 'Linux',
        arch: 'X64',
        temp: places.temp,
        tool_cache: places.toolCache,
        environment: isSelfHosted(work) ? 'self-hosted' : 'github-hosted',
        debug: '',
      },
    },
  };
}

/** The `strategy` context of a job without one (docs: contexts reference); its `matrix` is null. */
const NO_STRATEGY = { 'fail-fast': true, 'job-index': 0, 'job-total': 1, 'max-parallel': 1 };

/** `env:` values as text, each evaluated in the scope. */
export function evaluateEnv(env: Readonly<Record<string, Scalar>>, scope: Scope): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluateText(scalarText(value), scope)]));
}

/** A YAML scalar as text. */
export function scalarText(value: Scalar): string {
  return value === null ? '' : String(value);
}

/** Evaluates a condition again after the job was cancelled. A condition that cannot be evaluated counts as false. */
export function evaluateNow(condition: string | null, scope: () => Scope): boolean {
  try {
    return evaluateCondition(condition, scope());
  } catch (error) {
    if (error instanceof WorkflowFault) return false;
    throw error;
  }
}

export function stepsContext(steps: Readonly<Record<string, StepResult>>): Json {
  return Object.fromEntries(
    Object.entries(steps).map(([id, result]) => [
      id,
      { outputs: result.outputs, outcome: result.outcome, conclusion: result.conclusion },
    ]),
  );
}
