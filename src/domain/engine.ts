/** The interface to every cluster: submit once, observe, read the log, stop. */

import type { ActionStep } from './actions/action.ts';
import type { Permit } from './actions/capability.ts';
import type { RentalAccount } from './care/machines.ts';
import type { ExportedFile } from './git.ts';
import type { Observed } from './values.ts';

/** Job status as in Ray's Jobs API (JobDetails.status); other engines map to it. */
export const JOB_STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Lets a submitter that lost the answer recognize its own job. */
export type JobMetadata = {
  readonly run: string;
  readonly attempt: number;
  readonly manifest: string;
  /**
   * Digest of the runner key's signature over the submission, which only the runner can produce. Everything
   * else is public and could be copied into another job. Absent for a submitter without a key.
   */
  readonly proof?: string | undefined;
};

/** Whether both belong to one attempt of one run with one manifest and one submitter. */
export function isSameJob(a: JobMetadata, b: JobMetadata): boolean {
  return a.run === b.run && a.attempt === b.attempt && a.manifest === b.manifest && a.proof === b.proof;
}

export type JobSpec = {
  /** Deterministic, `[A-Za-z0-9._-]+`; the same id never starts a second process. */
  readonly submissionId: string;
  /** Program and arguments, never a shell line. */
  readonly command: readonly string[];
  /** The complete environment, apart from the engine's own minimum. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of secret variables, including those without a value here. Default: none. */
  readonly secretNames?: readonly string[];
  /** Machines to exclude, by the engine's names. Default: none. */
  readonly avoidMachines?: readonly string[];
  readonly workingDirectory: string;
  /** Files that must match byte for byte when the job is submitted. Default: not compared. */
  readonly files?: readonly ExportedFile[];
  readonly metadata: JobMetadata;
  /** Only adopt an existing job; if there is none, the outcome is `absent`. */
  readonly adoptOnly?: boolean;
};

/** A shipped file that would not reach the job, and why. */
export type LeftOut = { readonly path: string; readonly why: string };

/** Where an outsider can verify that the job ran (docs/logbook.md, `submitted`). */
export type JobLocator =
  | {
      readonly kind: 'process';
      readonly pid: number;
      /** Start time as reported by the kernel (clock ticks since boot, or `ps lstart`), because pids are reused. */
      readonly processStart: string;
      readonly exitRecord: string;
      readonly log: string;
      /** The folder that the process really uses: of two concurrent submitters, only one starts the process. */
      readonly workingDirectory: string;
    }
  | {
      readonly kind: 'dashboard';
      readonly url: string;
      /** The cluster's name for the shipped files, if it has one. */
      readonly bundle?: string;
    };

/** A job as known after submission. */
export type Job = {
  readonly engine: string;
  readonly jobId: string;
  readonly metadata: JobMetadata;
  /** The engine's session at submission; a different session later means the engine may have lost its jobs. */
  readonly session: string | null;
  readonly locator: JobLocator;
};

/** Final rejections; `conflict` and `unknown` are separate outcomes. */
export type SubmitRejection =
  | 'bad-submission-id'
  | 'empty-command'
  | 'no-working-directory'
  | 'unauthorized'
  | 'refused';

/**
 * `adopted`: a job with this id and metadata already existed. `conflict`: it has other metadata. `unknown`: a job may have started; observe
 * before anything else and never submit another id. `absent` (only with `adoptOnly`): no such job.
 */
export type SubmitOutcome =
  | { readonly kind: 'submitted'; readonly job: Job }
  | { readonly kind: 'adopted'; readonly job: Job }
  | { readonly kind: 'conflict'; readonly found: JobMetadata | null }
  | { readonly kind: 'rejected'; readonly code: SubmitRejection; readonly message: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/** Times are Unix milliseconds. */
export type FoundJob = {
  readonly kind: 'found';
  readonly status: JobStatus;
  readonly message: string;
  /** For example Ray's JOB_ENTRYPOINT_COMMAND_ERROR; null unless FAILED. */
  readonly errorType: string | null;
  /** Null while the job runs, after a requested stop, or after a signal. */
  readonly exitCode: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly metadata: JobMetadata | null;
  readonly session: string | null;
  /** Short scrubbed facts to display, for example pid, node, signal. */
  readonly details: Readonly<Record<string, string>>;
  /** Utilization of accelerators and host memory in percent. Absent if not measured. */
  readonly use?: { readonly accelerators?: number; readonly ram?: number };
};

/**
 * `absent`: the engine answered that there is no such job. `state-lost`: the engine restarted and forgot the
 * job, which proves nothing about its end. `unknown`: no usable answer; never treat it as absent.
 */
export type JobObservation =
  | FoundJob
  | { readonly kind: 'absent'; readonly session: string | null }
  | { readonly kind: 'state-lost'; readonly session: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Unverified claims about who launched a job and what it runs, without secrets. Null if the engine does not keep it. */
export type JobOrigin = {
  readonly submitter: string | null;
  /** As one POSIX shell line. */
  readonly entrypoint: string | null;
  /** From the variable GIT_COMMIT, if it is a full commit id. */
  readonly gitCommit: string | null;
};

/** A pending or running job in a cluster's list. `about`: its command, without secrets. */
export type LiveJob = Pick<FoundJob, 'status' | 'startedAtMs' | 'metadata'> & {
  readonly jobId: string;
  readonly about: string;
};

/** A job of any submitter. `cannot`: the engine cannot follow it. */
export type JobDescription =
  | { readonly kind: 'described'; readonly job: FoundJob; readonly origin: JobOrigin }
  | { readonly kind: 'cannot'; readonly why: string }
  | Exclude<JobObservation, FoundJob>;

export const CANNOT_DESCRIBE: JobDescription = {
  kind: 'cannot',
  why: 'this engine follows only jobs that ferrybot has submitted',
};

/** An observation with the job's origin. */
export function toJobDescription(seen: JobObservation, origin: JobOrigin): JobDescription {
  return seen.kind === 'found' ? { kind: 'described', job: seen, origin } : seen;
}

/** A full commit id, or null. */
export function findCommit(text: unknown): string | null {
  return typeof text === 'string' && /^[0-9a-f]{40}$/.test(text) ? text : null;
}

/**
 * Offsets are bytes of the engine's log. `bytes` are UTF-8 and never split a character; each invalid byte
 * becomes `?`, so offsets stay correct. `rewound`: the log is shorter than the offset, so it was replaced.
 */
export type LogRead =
  | {
      readonly kind: 'chunk';
      readonly bytes: Uint8Array;
      readonly offset: number;
      readonly nextOffset: number;
      /** False if more bytes were available than one chunk carries. */
      readonly atEnd: boolean;
    }
  | { readonly kind: 'rewound'; readonly sizeBytes: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/** `stopping`: accepted; observe again. */
export type StopOutcome =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'stopping'; readonly message?: string }
  | { readonly kind: 'already-ended'; readonly status: JobStatus }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/** Identifies the engine's memory: Ray's `session_name`, or a boot id. */
export type EngineSession =
  | { readonly kind: 'session'; readonly id: string; readonly version: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** `lastSession`: the session in which the job was last observed. */
export type AskedJob = { readonly jobId: string; readonly lastSession: string | null };

/** A cluster. No method throws for an expected outcome. */
export type Engine = {
  readonly name: string;
  /** A new session has forgotten all earlier jobs, so `absent` proves nothing about them. */
  readonly forgetsWithSession?: true;
  session(): Promise<EngineSession>;
  /** Called before the claim: which `files` this engine would not ship. Default: none. */
  leftOut?(spec: Pick<JobSpec, 'workingDirectory' | 'files'>): Promise<readonly LeftOut[]>;
  /** Spends the capability; throws `CapabilityError` if it does not permit this submission. */
  submit(spec: JobSpec, permit: Permit): Promise<SubmitOutcome>;
  observe(jobId: string, lastSession: string | null): Promise<JobObservation>;
  /** Observes many jobs with a bounded number of requests, in the given order. Absent if the engine has no list. */
  observeMany?(asked: readonly AskedJob[]): Promise<readonly JobObservation[]>;
  /** All pending and running jobs of any submitter. Absent if the engine has no list. */
  live?(): Promise<Observed<readonly LiveJob[]>>;
  /** Also for jobs of other submitters; the answer has no secrets. */
  describe(jobId: string): Promise<JobDescription>;
  readLog(jobId: string, offset: number): Promise<LogRead>;
  /** Spends the capability, as `submit` does. */
  stop(jobId: string, permit: Permit): Promise<StopOutcome>;
  /** For rented machines: the account that pays for them. */
  readonly rented?: RentalAccount;
  /** For engines that run jobs in the shipped folders: removes the folders of long-ended jobs below `trees` and returns their paths. */
  removeOldTrees?(trees: string): Promise<readonly string[]>;
};

/** Key in `details` under which an engine names who stopped the job. */
export const STOPPED_BY = 'stoppedBy';

/** Whether a job with this status never changes again. */
export function isTerminal(status: JobStatus): boolean {
  return status === 'SUCCEEDED' || status === 'FAILED' || status === 'STOPPED';
}

/** The submission step of one attempt, with the approved command. */
export function submitStep({
  submissionId,
  metadata,
  command,
}: Pick<JobSpec, 'submissionId' | 'metadata' | 'command'>): ActionStep {
  const { run, attempt, manifest } = metadata;
  return { kind: 'submit-job', command: [submissionId, run, String(attempt), manifest, ...command] };
}

/** The step that stops one job. */
export function stopStep(jobId: string): ActionStep {
  return { kind: 'stop-job', command: [jobId] };
}
