/** What every part of the queue shares: the world, the machines, and the running jobs. */

import type { World } from '../../world/world.ts';
import type { Executor, Runner } from '../runner/runner-types.ts';
import type { WorkflowFiles } from './workflow-files.ts';

export type ActiveJob = {
  readonly runId: number;
  readonly runnerName: string;
  readonly cancel: AbortController;
  /** Ends the job regardless of its conditions. */
  readonly force: AbortController;
  readonly done: Promise<void>;
};

export type Engine = {
  readonly world: World;
  readonly runners: readonly Runner[];
  readonly executor: Executor;
  readonly files: WorkflowFiles;
  readonly actionDirectories: Readonly<Record<string, string>>;
  readonly actionBundles: string | null;
  readonly workDirectory: string;
  readonly serverUrl: string;
  /** Jobs on a runner, by job id. */
  readonly active: Map<number, ActiveJob>;
  /** Runs one task after another, so that two changes of the queue never interleave. */
  readonly serially: <T>(work: () => Promise<T>) => Promise<T>;
  /** Reports a bug or a broken machine in the background; the caller that waits for the queue receives it. */
  readonly broke: (error: Error) => void;
  /** Aborted = nothing new starts. */
  readonly stopped: AbortSignal;
};
