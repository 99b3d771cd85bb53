/** What the queue hands to a runner and what it gets back: one job's work, its steps and their ends. */

import type { Json } from '../../world/json.ts';
import type { Scalar } from '../workflow/shared-schema.ts';
import type { JobDefinition } from '../workflow/workflow-file.ts';

/** A machine that takes one job at a time. Its name is also its directory's. */
export type Runner = {
  readonly name: string;
  readonly labels: readonly string[];
  /** The runner group that the machine is in; where `workflows` is given, jobs of other files do not get it. */
  readonly group?: {
    readonly name: string;
    /** `owner/name/.github/workflows/FILE@REF`; null = every workflow. */
    readonly workflows: readonly string[] | null;
  };
  /** What this machine adds to every step's environment, as a runner's `.env` file does. */
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

/** One job, with everything that its expressions may ask for. */
export type JobWork = {
  readonly definition: JobDefinition;
  readonly runner: Runner;
  /** Unique per attempt; names its temporary directory. */
  readonly id: number;
  /** The check run that shows the job: `job.check_run_id`. */
  readonly checkRunId: number | null;
  /** RUNNER_TRACKING_ID: by it the job's end finds what its steps left running. Unique on the machine. */
  readonly trackingId: string;
  readonly repository: string;
  readonly repositoryId: number;
  readonly serverUrl: string;
  readonly token: string;
  /** `ACTIONS_RUNTIME_TOKEN`: what this job's actions show to the services of artifacts and caches. */
  readonly runtimeToken: string;
  /** What the token may do; said in the log of the set-up step. */
  readonly permissions: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly needs: Json;
  /** The `github` context without what only the runner knows (workspace, action, token). */
  readonly github: Readonly<Record<string, Json>>;
  readonly payload: Json;
  readonly workflowEnv: Readonly<Record<string, Scalar>>;
  readonly shell: string | null;
  readonly workingDirectory: string | null;
};

/** What the job tells the queue while it runs. */
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

/** Places on the runner's disk, as the real runner lays them out. */
export type Places = {
  readonly workspace: string;
  readonly temp: string;
  readonly toolCache: string;
  readonly home: string;
  readonly eventFile: string;
};

/** One thing that a step does; `env` is complete but for the step's command files. */
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
      /** The end of the job: take persisted credentials away again. */
      readonly phase: 'main' | 'post';
    }
  | {
      readonly kind: 'action';
      readonly uses: string;
      readonly inputs: Readonly<Record<string, string>>;
      /** The program to run: absolute path; null when an in-process handler stands in for the whole action. */
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
  /** The runner's own complaint about the step: a line and an annotation, whatever commands the step has stopped. */
  readonly note: (message: string) => void;
  readonly signal: AbortSignal;
  readonly mask: (secret: string) => void;
  /** Process groups started by the job's steps, ended when the job ends. */
  readonly groups: Set<number>;
};

/** What a job leaves behind when its last step has ended. */
export type FinishedJob = {
  readonly places: Places;
  readonly groups: ReadonlySet<number>;
  readonly trackingId: string;
  readonly say: (line: string) => void;
};

/** Carries out steps: real processes, or functions that a test injects. */
export type Executor = {
  /** Prepares the runner's directories for a job. */
  readonly prepare: (places: Places, work: JobWork) => Promise<void>;
  readonly step: (step: StepWork, host: StepHost) => Promise<StepEnd>;
  /** After the last step: end what the job's steps left running, say so, remove its temporary files. */
  readonly cleanUp: (job: FinishedJob) => Promise<void>;
  /** Waits on the clock that the steps live by: the machine's for processes, the world's for functions. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** Ends what a killed playground left running: a machine that is lost takes its processes with it. */
  readonly recover: () => Promise<void>;
  /** Whether a step surely ends when its signal is aborted (a process is killed, a function can only be asked). */
  readonly endsWhenTold: boolean;
  /** Whether actions are read from disk (`action.yml`) before they run. */
  readonly readsActions: boolean;
};
