/** One batch of triggers, and the work of one subject. */

import type { Role } from '../../domain/logbook/parts.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import type { RunId } from '../../domain/values.ts';
import type { BrokenRun } from '../broken-run.ts';
import type { Location, Trouble } from '../contained-errors.ts';
import type { OpenLab } from '../open-lab.ts';

/** The run's fingerprint when nothing was left to do, and until when it counts (null = until it changes). */
export type Settled = Map<RunId, { readonly fingerprint: string; readonly untilMs: number | null }>;

/** What this process remembers about runs between batches. */
export type RunMemory = {
  /** Roles whose events this process publishes. */
  readonly publishesFor: readonly Role[];
  readonly settledRuns: Settled;
  /** The journal's holds at the end of the last batch. */
  holds: string;
};

export type Turn = {
  readonly open: OpenLab;
  readonly triggers: readonly ReconcileRequest[];
  readonly troubles: Trouble[];
  readonly runs: RunMemory;
  /** Threads that wait for their lane. */
  readonly ownPulls: { readonly waiting: Set<number> };
};

/** `isOwing`: handle the triggers again. `moved`: threads to reconcile in the same batch. `faults`: faults to report. */
export type WorkOutcome = {
  readonly mustRetry?: boolean;
  readonly concernedThreads?: readonly number[];
  readonly faults?: readonly BrokenRun[];
};

/** Possible work for one subject, and the location for its errors. */
export type ReconcileWork = {
  readonly location: Location;
  readonly reconcile: () => Promise<WorkOutcome> | Promise<void>;
};

/** Reads each key once, because within a batch the outside world counts as unchanged. */
export type OncePerBatch = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;
