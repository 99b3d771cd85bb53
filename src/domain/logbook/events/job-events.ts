/** A job from its first look to its end: what each event of it carries. */

import type { Surface } from '../../command.ts';
import type { JobStatus } from '../../engine.ts';
import type { Confidence, FailureClass, FirstResponse } from '../../failure-class.ts';

/** A run in the experiment tracker, as its link in the log names it. */
export type TrackerRun = { readonly id: string; readonly url: string };

/** Metric or eval name → decimal text as the source printed it. */
export type Metrics = { readonly [key: string]: string };

/** The watch's claim to be the only one; a later fence refuses an earlier one's late writes. */
export type Lease = { readonly holder: string; readonly fence: number; readonly until: string };

/**
 * What a log had begun to say where a look ended, so that the next look, in whatever process, understands the rest:
 * an eval whose bar is not full, a line so long that its rest is passed over, and the worker whose traceback stands
 * `linesAgo` lines above.
 */
export type OpenLog = {
  readonly isEvalRunning: boolean;
  readonly isLineSkipped: boolean;
  readonly task: { readonly worker: string; readonly linesAgo: number } | null;
};

/** Job or log could not be read since then, in an unbroken row of looks. */
export type Unread = { readonly what: 'job' | 'log'; readonly since: string; readonly why: string };

/** The step has been the same since then, at so many looks after the first that showed it. */
export type Standstill = { readonly since: string; readonly looks: number };

/** What a failed job died of, by its log. `place`: the innermost line of the lab's own code that the exception came through. */
export type RecordedDiagnosis = {
  readonly class: FailureClass;
  readonly confidence: Confidence;
  readonly response: FirstResponse;
  readonly place: { readonly file: string; readonly line: number } | null;
  readonly error: string | null;
  readonly evidence: readonly string[];
};

export type JobEventData = {
  readonly observed: {
    readonly attempt: number;
    readonly status: JobStatus | 'UNKNOWN';
    readonly message: string;
    readonly step: number | null;
    readonly stepIsExact: boolean;
    readonly totalSteps: number | null;
    readonly loss: string | null;
    readonly firstStepCompleted: boolean;
    readonly trackers: readonly TrackerRun[];
    readonly evals: Metrics;
    readonly checkpointStep: number | null;
    readonly signatures: readonly string[];
    readonly logOffset: number;
    /** Left out where nothing is open. */
    readonly openLog?: OpenLog;
    /** Left out where both could be read. */
    readonly unread?: Unread;
    /** Left out where the job has moved since the look before. */
    readonly standstill?: Standstill;
    readonly cadenceMs: number;
    readonly lease: Lease;
  };
  readonly 'stop-requested': { readonly comment: number; readonly surface: Surface };
  readonly ended: {
    readonly attempt: number;
    readonly status: 'SUCCEEDED' | 'FAILED' | 'STOPPED';
    readonly message: string;
    readonly errorType: string | null;
    readonly exitCode: number | null;
    /** What else the engine said of the job, such as the node of Ray's driver. */
    readonly engineDetails?: Readonly<Record<string, string>>;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly lastStep: number | null;
    readonly totalSteps: number | null;
    readonly metrics: Metrics;
    readonly trackers: readonly TrackerRun[];
    readonly signatures: readonly string[];
    readonly checkpointStep: number | null;
    /** Left out where the job did not fail, or its log could not be read. */
    readonly diagnosis?: RecordedDiagnosis;
    readonly fence: number;
  };
};
