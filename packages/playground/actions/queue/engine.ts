/** What every part of the queue works with: the world, the machines, what runs right now. */

import type { World } from '../../world/world.ts';
import type { Executor, Runner } from '../runner/runner-types.ts';
import type { WorkflowFiles } from './workflow-files.ts';

export type ActiveJob = {
  readonly runId: number;
  readonly runnerName: string;
  readonly cancel: AbortController;
  /** Ends the job whatever its conditions say. */
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
  /** Does one thing after another, so that two changes of the queue never mix. */
  readonly serially: <T>(work: () => Promise<T>) => Promise<T>;
  /** A bug or a broken machine in the background; whoever waits for the queue gets it. */
  readonly broke: (error: Error) => void;
  /** Aborted = nothing new starts. */
  readonly stopped: AbortSignal;
};
