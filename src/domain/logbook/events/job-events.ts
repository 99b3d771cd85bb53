/** A job from its first look to its end: what each event of it carries. */

import type { Surface } from '../../command.ts';
import type { Dispatch } from '../../dispatch.ts';
import type { JobStatus } from '../../engine.ts';
import type { Confidence, FailureClass, FirstResponse } from '../../failure-class.ts';
import type { TrackerSilence } from '../../tracker.ts';

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

/**
 * How fast a job went between two looks: the middle of what its log said, as decimal text. What the log does not say is
 * null; `remainingSeconds` is the trainer's own estimate.
 */
export type Pace = {
  readonly secondsPerStep: string | null;
  readonly tokensPerSecond: string | null;
  readonly remainingSeconds: number | null;
  /** Of the accelerators; left out where the log does not say. */
  readonly usePercent?: string;
  /** In use, as it is shown: `93.9%` or `44.6GiB` of the accelerators, `ram:31%` of the machine; left out where nobody says. */
  readonly memory?: string;
};

/** A measure over steps or looks, see `src/detectors/series.ts`; decimals are text. */
export type RecordedSeries = {
  readonly trend: string | null;
  readonly values: number;
  readonly spread?: string;
  readonly lowest?: string;
  readonly streak?: RecordedStreak;
  readonly met?: RecordedStreak & { readonly trend: string };
  readonly notFinite?: number;
};
export type RecordedStreak = {
  readonly from: number | null;
  readonly to: number | null;
  readonly values: number;
  readonly peak: string;
};

/** The loss that a step had before a run went back, and after; as printed. */
export type ReplayedStep = { readonly step: number; readonly before: string; readonly after: string };

/** What the next look is compared with. Left out is what nobody has seen. */
export type Course = {
  readonly pendingSince?: string;
  readonly runningSince?: string;
  readonly steppingSince?: string;
  /** The newest look that saw a step move, how many did, and how far apart two of them were at the most. */
  readonly moved?: { readonly at: string; readonly longestGapMs: number; readonly looks: number };
  readonly series?: { readonly [name: string]: RecordedSeries };
  readonly speed?: RecordedSeries;
  /** Looks in a row in which the accelerators idled. */
  readonly idle?: number;
  /** The first look of those, and the first of those in a row that were slow. */
  readonly idleSince?: string;
  readonly slowSince?: string;
  readonly saved?: { readonly at: string; readonly longestGapMs: number | null };
  readonly savingSince?: string;
  readonly replayed?: readonly ReplayedStep[];
  /** Steps of the last look at a job that failed or was stopped, or of one that went back by itself, thinned: those that are made again are compared with them. */
  readonly lastSteps?: readonly { readonly step: number; readonly loss: string }[];
  /** Looks in a row that found it well, where the next depends on that. */
  readonly healthy?: number;
};

/**
 * What the tracker itself says of the run that the job reports to: one witness among others, since it calls runs crashed that
 * go on, and running that are dead. `run`: what was asked for. `says`: what came of asking at the newest look.
 */
export type TrackerSeen = {
  readonly run: string;
  readonly says: 'found' | TrackerSilence['kind'];
  /** Why there was no answer; left out where there was. */
  readonly why?: string;
  /** The newest answer; left out before there is one. */
  readonly last?: {
    readonly identity: string;
    readonly name: string;
    readonly state: string;
    readonly readAt: string;
    readonly heartbeatAt: string | null;
    readonly rowAt: string | null;
    readonly step: number | null;
    /** The newest look that saw the step of this attempt move; null before one did. */
    readonly movedAt: string | null;
    readonly loss: string | null;
  };
};

/**
 * What the stores of the checkpoints say, where the watch asks them: whether what the log calls saved lies there whole. They are
 * asked less often than the job is looked at, so that `askedAt` may be of an earlier look.
 */
export type StoreSeen = {
  readonly askedAt: string;
  /** Why nobody could tell then; left out where it could be told. */
  readonly unread?: string;
  /** Of the newest answer; left out before there is one. */
  readonly last?: {
    readonly readAt: string;
    /** The newest whole checkpoint of this run's lineage; null: there is none. */
    readonly newest: { readonly step: number; readonly writtenAt: string } | null;
    /** The newest folder beyond it that is not whole, and the first answer that had it. */
    readonly partial?: { readonly step: number; readonly since: string };
    /** What the log had called saved a look before, and no whole one of that step or a later one was there: the answers in a row that lack it. */
    readonly missing?: { readonly step: number; readonly since: string; readonly answers: number };
  };
};

/** A job that runs beside the run's own and names the run. */
export type BesideJob = { readonly jobId: string; readonly status: JobStatus; readonly since: string | null };

/** What a failed job died of, by its log. `place`: the innermost line of the lab's own code that the exception came through. */
export type RecordedDiagnosis = {
  readonly class: FailureClass;
  readonly confidence: Confidence;
  readonly response: FirstResponse;
  readonly place: { readonly file: string; readonly line: number } | null;
  readonly error: string | null;
  readonly evidence: readonly string[];
  /** The last lines of the log; left out in records from before they were kept. */
  readonly logEnd?: readonly string[];
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
    /** Left out where there are none, or nobody asked. */
    readonly beside?: readonly BesideJob[];
    /** Left out where nothing is open. */
    readonly openLog?: OpenLog;
    /** Left out where both could be read. */
    readonly unread?: Unread;
    /** Left out where the job has moved since the look before. */
    readonly standstill?: Standstill;
    /** Left out where the log said nothing of it since the look before. */
    readonly pace?: Pace;
    /** Left out before a look has found the job. */
    readonly course?: Course;
    /** The checkpoint that the job says it loads; left out where it says of none. */
    readonly resumedFrom?: string;
    /** Detectors that say an alarm at this look; left out where none does. */
    readonly alarms?: readonly string[];
    /** Left out where nobody asks the tracker. */
    readonly tracker?: TrackerSeen;
    /** Left out where nobody asks the stores of its checkpoints. */
    readonly store?: StoreSeen;
    /** How soon the watch wanted to look again. */
    readonly cadenceMs: number;
    readonly lease: Lease;
  };
  /** Control started one of our workflows: `subject` says what for (`src/domain/dispatch.ts`). */
  readonly dispatched: Omit<Dispatch, 'at' | 'seq'>;
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
