/** State rows that machines write: workflows, runs, jobs, check suites and runs, statuses. */

import type { Json } from '../world/json.ts';

/** One input of `workflow_dispatch` as the workflow file declares it. */
export type DispatchInput = {
  readonly required: boolean;
  readonly type: 'string' | 'boolean' | 'choice' | 'number' | 'environment';
  readonly default: string | null;
  readonly options: readonly string[];
};

/** A workflow file of the default branch; rows of one repository are replaced by `registerWorkflows`. */
export type Workflow = {
  readonly id: number;
  readonly repoId: number;
  readonly name: string;
  /** `.github/workflows/x.yml` */
  readonly path: string;
  readonly state: 'active' | 'disabled_manually' | 'deleted';
  /** The text of the file when it was registered. */
  readonly source: string;
  /** Event name to its filters, normalised from `on:`. */
  readonly on: Readonly<Record<string, Json>>;
  /** null = the file has no `workflow_dispatch`. */
  readonly dispatchInputs: Readonly<Record<string, DispatchInput>> | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

export type RunStatus = 'queued' | 'in_progress' | 'completed' | 'waiting' | 'pending' | 'requested';

export type Conclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | 'startup_failure'
  | 'stale';

export type Run = {
  readonly id: number;
  readonly repoId: number;
  readonly workflowId: number;
  readonly name: string;
  readonly displayTitle: string;
  readonly path: string;
  readonly runNumber: number;
  readonly runAttempt: number;
  readonly event: string;
  readonly status: RunStatus;
  readonly conclusion: Conclusion | null;
  readonly headBranch: string | null;
  readonly headSha: string;
  readonly actorId: number;
  readonly triggeringActorId: number;
  /** Inputs of a dispatch, as text, defaults filled in. */
  readonly inputs: Readonly<Record<string, string>>;
  /** What the runner gets as `GITHUB_EVENT_PATH`. */
  readonly payload: Json;
  readonly pullNumbers: readonly number[];
  readonly checkSuiteId: number;
  readonly jobIds: readonly number[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly startedAtMs: number;
  /** Set by `POST …/cancel`; the runner ends the run. */
  readonly cancelRequested: boolean;
  /** Set by `POST …/force-cancel`: conditions that would keep a job running are ignored. */
  readonly cancelForced?: boolean;
  /** What a re-run repeats; absent = everything. A number is the id of the one job to repeat. */
  readonly again?: 'failed' | number;
};

export type Step = {
  readonly number: number;
  readonly name: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: Conclusion | null;
  readonly startedAtMs: number | null;
  readonly completedAtMs: number | null;
  /** Offset in characters at which the step's part of the job's log starts; null until the step starts. */
  readonly logOffset: number | null;
};

/** One job in a run's plan and its state, before and after the job has a row in `jobs`. */
export type PlanNode = {
  /** Key under `jobs:`; `caller/key` for a job of a called workflow. */
  readonly key: string;
  readonly state: 'open' | 'pending' | 'queued' | 'running' | 'called' | 'done';
  readonly result: 'success' | 'failure' | 'cancelled' | 'skipped' | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly jobId: number | null;
  /** Concurrency group of the job, evaluated. */
  readonly group: string | null;
  readonly queue: 'single' | 'max';
  /** Inputs of the called workflow; null for every other job. */
  readonly inputs: Readonly<Record<string, Json>> | null;
};

/** Progress of the runner through one attempt of a run. It is persisted so that a restart can continue. */
export type RunPlan = {
  readonly runId: number;
  readonly attempt: number;
  /** GITHUB_REF, GITHUB_SHA, GITHUB_HEAD_REF, GITHUB_BASE_REF. */
  readonly ref: string;
  readonly sha: string;
  readonly headRef: string;
  readonly baseRef: string;
  /** The commit from which the workflow files are read. */
  readonly workflowSha: string;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly group: string | null;
  readonly queue: 'single' | 'max';
  /** A run for a pull request from another repository: it gets no secrets and a read-only token. */
  readonly untrusted: boolean;
  readonly nodes: readonly PlanNode[];
};

export type Job = {
  readonly id: number;
  readonly repoId: number;
  readonly runId: number;
  readonly runAttempt: number;
  /** Key under `jobs:` in the workflow file. */
  readonly key: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly conclusion: Conclusion | null;
  readonly labels: readonly string[];
  readonly runnerName: string | null;
  readonly environment: string | null;
  readonly steps: readonly Step[];
  readonly checkRunId: number | null;
  readonly createdAtMs: number;
  /** When the job was queued for a runner, if it waited for its concurrency group first. */
  readonly queuedAtMs?: number;
  readonly startedAtMs: number | null;
  readonly completedAtMs: number | null;
  /** Markdown that the steps wrote to GITHUB_STEP_SUMMARY. */
  readonly summary: string;
};

export type CheckSuite = {
  readonly id: number;
  readonly repoId: number;
  readonly appId: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

export type CheckAnnotation = {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn: number | null;
  readonly endColumn: number | null;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title: string | null;
  readonly rawDetails: string | null;
};

export type CheckRun = {
  readonly id: number;
  readonly repoId: number;
  readonly suiteId: number;
  readonly appId: number;
  readonly name: string;
  readonly headSha: string;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'waiting' | 'pending' | 'requested';
  readonly conclusion: Conclusion | null;
  readonly externalId: string;
  readonly detailsUrl: string | null;
  readonly startedAtMs: number;
  readonly completedAtMs: number | null;
  readonly output: { readonly title: string | null; readonly summary: string | null; readonly text: string | null };
  readonly annotations: readonly CheckAnnotation[];
  readonly actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
};

export type CommitStatus = {
  readonly id: number;
  readonly repoId: number;
  readonly sha: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creatorId: number;
  readonly createdAtMs: number;
};
