/** One batch of triggers, and what a subject has to do for it. */

import type { Role } from '../../domain/logbook/parts.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import type { RunId } from '../../domain/values.ts';
import type { BrokenRun } from '../broken-run.ts';
import type { OpenLab } from '../open-lab.ts';
import type { Trouble, Where } from '../trouble.ts';

/** The run's fingerprint when nothing was left to do, and until when it counts (null = until it changes). */
export type Settled = Map<RunId, { readonly standing: string; readonly untilMs: number | null }>;

/** What this process knows of runs between batches. */
export type RunMemory = {
  /** Roles whose events this process publishes. */
  readonly speaksFor: readonly Role[];
  readonly settled: Settled;
  /** The journal's holds at the last look. */
  holds: string;
};

/** One batch of triggers. */
export type Turn = {
  readonly open: OpenLab;
  readonly triggers: readonly ReconcileRequest[];
  readonly troubles: Trouble[];
  readonly runs: RunMemory;
  /** Threads that wait for their lane. */
  readonly ownPulls: { readonly waiting: Set<number> };
};

/** `isOwing`: the triggers must be handled again; `moved`: threads to reconcile in the same batch; `faults`: to report. */
export type Outcome = {
  readonly isOwing?: boolean;
  readonly moved?: readonly number[];
  readonly faults?: readonly BrokenRun[];
};

/** What one subject may have to do, and where a failure is reported. */
export type Work = { readonly where: Where; readonly reconcile: () => Promise<Outcome> | Promise<void> };

/** Reads each key once: within a batch of triggers the outside world counts as unchanged. */
export type Once = <Value>(key: string, read: () => Promise<Value>) => Promise<Value>;
