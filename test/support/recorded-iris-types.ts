/** What a recorded Iris cluster is made of: jobs, the one task of each, its attempts, and what really ran. */

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
  /** As it was sent, for who asks for it again. */
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
};

/** A process on a worker. */
export type Run = {
  readonly name: string;
  readonly attemptId: number;
  readonly workerId: string;
  readonly beganAtMs: number;
  /** Not yet said. */
  readonly lines: { readonly atMs: number; readonly text: string }[];
  endAtMs: number | null;
  exitCode: number;
  /** What Iris is told when it ends; null: nothing, because Iris has ended it already or has forgotten it. */
  isReported: boolean;
  readonly error: string;
};

/** Snapshots of Iris that were recorded: of the newer one the workers confirm ends, and the log server keeps its lines. */
export type Release = '2026-05-11' | '2026-06-18';

export type Line = {
  readonly cursor: number;
  readonly key: string;
  readonly data: string;
  readonly attemptId: number;
  readonly epochMs: number;
};
