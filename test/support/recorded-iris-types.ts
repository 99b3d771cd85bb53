/** The parts of a recorded Iris cluster: jobs, the task of each, its attempts, and the processes. */

/** What a command does, by the cluster's clock. */
export type IrisPlan = {
  /** From the launch to the start. */
  readonly pendingMs: number;
  /** Null: runs until it is stopped. */
  readonly endAfterMs: number | null;
  readonly exitCode: number;
  readonly lines: readonly string[];
};

export type Launched = {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly maxRetriesFailure: number;
  readonly maxRetriesPreemption: number;
  /** As it was sent, for later requests. */
  readonly request: Readonly<Record<string, unknown>>;
};

export type Attempt = {
  readonly attemptId: number;
  readonly workerId: string;
  state: string;
  exitCode: number;
  error: string;
  startedAt: number | null;
  finishedAt: number | null;
  isWorkerFailure: boolean;
};

export type Job = {
  readonly launched: Launched;
  readonly submittedAt: number;
  state: string;
  taskState: string;
  error: string;
  pendingReason: string;
  startedAt: number | null;
  finishedAt: number | null;
  failureCount: number;
  preemptionCount: number;
  readonly attempts: Attempt[];
  /** Of a gang: its tasks by state, set by a test. */
  tasks?: Readonly<Record<string, number>>;
};

/** A process on a worker. */
export type Run = {
  readonly name: string;
  readonly attemptId: number;
  readonly workerId: string;
  readonly beganAtMs: number;
  /** Lines not delivered yet. */
  readonly lines: { readonly atMs: number; readonly text: string }[];
  endAtMs: number | null;
  exitCode: number;
  /** Whether Iris gets its result; null: no, because Iris has ended it or forgotten it. */
  isReported: boolean;
  readonly error: string;
};

/**
 * The recorded snapshots of Iris: in the newer one workers confirm ends, and the log server keeps its lines.
 */
export type Release = '2026-05-11' | '2026-06-18';

export type Line = {
  readonly cursor: number;
  readonly key: string;
  readonly data: string;
  readonly attemptId: number;
  readonly epochMs: number;
};
