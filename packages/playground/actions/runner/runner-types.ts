/** What the queue gives to a runner and gets back: one job's work, its steps and their results. */

import type { Json } from '../../world/json.ts';
import type { Scalar } from '../workflow/shared-schema.ts';
import type { JobDefinition } from '../workflow/workflow-file.ts';

/** A machine that takes one job at a time. Its name is also the name of its directory. */
export type Runner = {
  readonly name: string;
  readonly labels: readonly string[];
  /** The runner group of the machine. If `workflows` is set, it takes only jobs of those files. */
  readonly group?: {
    readonly name: string;
    /** `owner/name/.github/workflows/FILE@REF`; null = every workflow. */
    readonly workflows: readonly string[] | null;
  };
  /** Variables that this machine adds to every step's environment, like a runner's `.env` file. */
  readonly environment?: Readonly<Record<string, string>>;
};

export type StepConclusion = 'success' | 'failure' | 'cancelled' | 'skipped';

export type Annotation = {
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title: string | null;
  readonly path: string | null;
  readonly line: number | null;
  readonly endLine: number | null;
  readonly column: number | null;
  readonly endColumn: number | null;
};

/** One job, with everything that its expressions can read. */
export type JobWork = {
  readonly definition: JobDefinition;
  readonly runner: Runner;
  /** Unique per attempt; it names the job's temporary directory. */
  readonly id: number;
  /** The check run that shows the job: `job.check_run_id`. */
  readonly checkRunId: number | null;
  /** RUNNER_TRACKING_ID: it identifies processes that the steps left running. Unique on the machine. */
  readonly trackingId: string;
  readonly repository: string;
  readonly repositoryId: number;
  readonly serverUrl: string;
  readonly token: string;
  /** `ACTIONS_RUNTIME_TOKEN`: the job's actions send it to the artifact and cache services. */
  readonly runtimeToken: string;
  /** The token's permissions, printed in the log of the set-up step. */
  readonly permissions: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly needs: Json;
  /** The `github` context without the values that only the runner knows (workspace, action, token). */
  readonly github: Readonly<Record<string, Json>>;
  readonly payload: Json;
  readonly workflowEnv: Readonly<Record<string, Scalar>>;
  readonly shell: string | null;
  readonly workingDirectory: string | null;
};

/** What the job reports to the queue while it runs. */
export type JobReport = {
  readonly log: (line: string) => void;
  readonly stepStarts: (number: number, name: string) => void;
  readonly stepEnds: (number: number, conclusion: StepConclusion) => void;
  readonly plan: (names: readonly string[]) => void;
};

export type JobResult = {
  readonly conclusion: 'success' | 'failure' | 'cancelled';
  readonly outputs: Readonly<Record<string, string>>;
  readonly annotations: readonly Annotation[];
  readonly summary: string;
};

/** Paths on the runner's disk, laid out like on the real runner. */
export type Places = {
  readonly workspace: string;
  readonly temp: string;
  readonly toolCache: string;
  readonly home: string;
  readonly eventFile: string;
};

/** One task of a step; `env` is complete except for the step's command files. */
export type StepWork =
  | {
      readonly kind: 'run';
      readonly script: string;
      readonly shell: string | null;
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'checkout';
      readonly inputs: Readonly<Record<string, string>>;
      readonly env: Readonly<Record<string, string>>;
      /** The post part, at the end of the job: remove persisted credentials. */
      readonly phase: 'main' | 'post';
    }
  | {
      readonly kind: 'action';
      readonly uses: string;
      readonly inputs: Readonly<Record<string, string>>;
      /** The program to run, an absolute path; null when an in-process handler replaces the whole action. */
      readonly program: string | null;
      readonly phase: 'pre' | 'main' | 'post';
      readonly env: Readonly<Record<string, string>>;
    };

export type StepEnd = {
  readonly conclusion: 'success' | 'failure' | 'cancelled';
  readonly outputs: Readonly<Record<string, string>>;
  /** What the step wrote for later steps. */
  readonly env: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
};

export type StepHost = {
  readonly work: JobWork;
  readonly places: Places;
  readonly onLine: (line: string) => void;
  /** Logs an error of the runner about the step: a line and an annotation, even while commands are stopped. */
  readonly note: (message: string) => void;
  readonly signal: AbortSignal;
  readonly mask: (secret: string) => void;
  /** Process groups that the job's steps started; they are ended with the job. */
  readonly groups: Set<number>;
};

/** What remains of a job when its last step has ended. */
export type FinishedJob = {
  readonly places: Places;
  readonly groups: ReadonlySet<number>;
  readonly trackingId: string;
  readonly say: (line: string) => void;
};

/** Runs steps: as real processes, or as functions that a test injects. */
export type Executor = {
  /** Prepares the runner's directories for a job. */
  readonly prepare: (places: Places, work: JobWork) => Promise<void>;
  readonly step: (step: StepWork, host: StepHost) => Promise<StepEnd>;
  /** After the last step: end and log the processes that its steps left running, and remove its temporary files. */
  readonly cleanUp: (job: FinishedJob) => Promise<void>;
  /** Waits on the clock of the steps: the machine's clock for processes, the world's for functions. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** Ends the processes that a killed playground left running, because a lost machine loses its processes too. */
  readonly recover: () => Promise<void>;
  /** Whether a step always ends when its signal is aborted (a process can be killed, a function cannot). */
  readonly endsWhenTold: boolean;
  /** Whether actions are read from disk (`action.yml`) before they run. */
  readonly readsActions: boolean;
};
