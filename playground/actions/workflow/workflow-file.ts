/** What a workflow file says, after its YAML was read once: the shape that the queue and the runner work from. */

import type { AccessLevel } from '../../identity/state-people.ts';
import type { Triggers } from './triggers.ts';

/** A scalar of the YAML or a text that may hold `${{ }}`. */
export type Scalar = string | number | boolean | null;

/** Permission name to level; a missing name is `none`. */
export type WorkflowPermissions = Readonly<Record<string, AccessLevel>>;

export type Concurrency = {
  readonly group: string;
  readonly cancelInProgress: boolean | string;
  readonly queue: 'single' | 'max';
};

export type StepDefinition = {
  readonly id: string | null;
  readonly name: string | null;
  readonly if: string | null;
  readonly uses: string | null;
  readonly run: string | null;
  readonly shell: string | null;
  readonly workingDirectory: string | null;
  readonly with: Readonly<Record<string, Scalar>>;
  readonly env: Readonly<Record<string, Scalar>>;
  readonly continueOnError: boolean | string;
  readonly timeoutMinutes: number | string | null;
};

export type JobDefinition = {
  readonly key: string;
  readonly name: string | null;
  readonly needs: readonly string[];
  readonly if: string | null;
  /** Labels, or one expression that gives a label or a list of labels. */
  readonly runsOn: readonly string[];
  /** `runs-on.group`: the runner group that the job insists on; text or an expression. */
  readonly runnerGroup: string | null;
  readonly permissions: WorkflowPermissions | null;
  readonly environment: string | null;
  readonly concurrency: Concurrency | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, Scalar>>;
  readonly shell: string | null;
  readonly workingDirectory: string | null;
  readonly timeoutMinutes: number | string | null;
  readonly continueOnError: boolean | string;
  readonly steps: readonly StepDefinition[];
  /** `uses:` of a job that calls another workflow file, with its inputs and the secrets it hands on. */
  readonly call: {
    readonly uses: string;
    readonly with: Readonly<Record<string, Scalar>>;
    readonly secrets: 'inherit' | Readonly<Record<string, string>>;
  } | null;
};

export type WorkflowFile = {
  readonly path: string;
  readonly name: string;
  readonly runName: string | null;
  readonly triggers: Triggers;
  readonly permissions: WorkflowPermissions | null;
  readonly env: Readonly<Record<string, Scalar>>;
  readonly concurrency: Concurrency | null;
  readonly shell: string | null;
  readonly workingDirectory: string | null;
  readonly jobs: readonly JobDefinition[];
  /** What the file asks for and GitHub refuses, or the playground does not have; a run of it fails with these lines. */
  readonly problems: readonly string[];
};
