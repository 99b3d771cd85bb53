/** What a job has come to while its steps run: status, environment, results; and the scope its expressions see. */

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

/** Changed in place by the steps as they end. */
export type JobState = {
  status: Exclude<StatusSoFar, 'skipped'>;
  /** Workflow's and job's `env:`, then what steps wrote to GITHUB_ENV. */
  readonly env: Record<string, string>;
  /** Added in front of PATH, newest first. */
  readonly paths: string[];
  readonly steps: Record<string, StepResult>;
  summary: string;
  /** What the runner calls the step that is under way: `github.action`. */
  action: string;
};

export type JobFrame = {
  readonly work: JobWork;
  readonly places: Places;
  readonly executor: Executor;
  readonly state: JobState;
};

export function newJobState(): JobState {
  return { status: 'success', env: {}, paths: [], steps: {}, summary: '', action: '' };
}

/** The scope of a step's expressions; `stepEnv` is what its own `env:` adds. */
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
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, evaluateText(scalarText(value), scope)]),
  );
}

/** A YAML scalar as the text it stands for. */
export function scalarText(value: Scalar): string {
  return value === null ? '' : String(value);
}

/** A condition asked again when the job is cancelled; one that cannot be evaluated any more does not hold. */
export function holdsNow(condition: string | null, scope: () => Scope): boolean {
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
