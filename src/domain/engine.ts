/** The one interface behind which every cluster stands: submit once, observe, read the log, stop. */

import type { Permit } from './actions/capability.ts';
import type { ActionStep } from './actions/step.ts';
import type { ExportedFile } from './git.ts';
import type { Observed } from './observed.ts';
import type { RentalAccount } from './rented.ts';

/** Status of a job in the words of Ray's Jobs API (JobDetails.status); other engines map onto them. */
export const JOB_STATUSES = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'STOPPED'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** What a job carries so that a submitter who lost the answer can tell its own job from a stranger's. */
export type JobMetadata = {
  readonly run: string;
  readonly attempt: number;
  /** The manifest's digest, `sha256:<64 hex>`. */
  readonly manifest: string;
  /**
   * What only the runner can write: a digest of its key's signature over the submission. The rest is public, and whoever reaches the
   * cluster, a job of yesterday for example, could put a job of its own under our id. Left out by a submitter without a key.
   */
  readonly proof?: string | undefined;
};

/** Whether both name one attempt of one run under one manifest, put there by the same submitter. */
export function isSameJob(a: JobMetadata, b: JobMetadata): boolean {
  return a.run === b.run && a.attempt === b.attempt && a.manifest === b.manifest && a.proof === b.proof;
}

/** One job to start: exact command, exact environment, and the id under which it can run only once. */
export type JobSpec = {
  /** Deterministic, `[A-Za-z0-9._-]+`; the same id never starts a second process. */
  readonly submissionId: string;
  /** Program and arguments; never a shell line. */
  readonly command: readonly string[];
  /** Everything that the job gets to see, apart from the engine's own minimum. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables whose values are secrets: those of `env`, and those that this runner has no value for. Without it: none. */
  readonly secretNames?: readonly string[];
  /** Machines that it shall not be put on, by the engine's names; without it, and where the engine does not choose: any. */
  readonly avoidMachines?: readonly string[];
  readonly workingDirectory: string;
  /** What has to lie there when the job is started or sent, byte for byte and nothing else; without it nobody compares. */
  readonly files?: readonly ExportedFile[];
  readonly metadata: JobMetadata;
  /** Only what is there already is taken up, and nothing is started: where it is gone, the outcome is `absent`. */
  readonly adoptOnly?: boolean;
};

/** A file of a shipped tree that would not reach the job, and what is in the way. */
export type LeftOut = { readonly path: string; readonly why: string };

/** Where a stranger can check that the job really ran (docs/logbook.md, `submitted`). */
export type JobLocator =
  | {
      readonly kind: 'process';
      readonly pid: number;
      /** The kernel's start time of that pid (clock ticks since boot, or `ps lstart`): pids are recycled. */
      readonly processStart: string;
      readonly exitRecord: string;
      readonly log: string;
      /** The folder that the command was really started in: of two submitters only one starts it. */
      readonly workingDirectory: string;
    }
  | {
      readonly kind: 'dashboard';
      readonly url: string;
      /** The name under which the cluster keeps the shipped files, where it says one. */
      readonly bundle?: string;
    };

/** A job as the engine knows it after a submit. */
export type Job = {
  readonly engine: string;
  readonly jobId: string;
  readonly metadata: JobMetadata;
  /** The engine's session at that time: another session later means that its memory may be lost. */
  readonly session: string | null;
  readonly locator: JobLocator;
};

/** Why a submit was refused for good; `conflict` and `unknown` are outcomes of their own. */
export type SubmitRejection =
  | 'bad-submission-id'
  | 'empty-command'
  | 'no-working-directory'
  | 'unauthorized'
  | 'refused';

/**
 * What came of a submit. `adopted` is a job with this id and this metadata that was there already;
 * `conflict` is one with other metadata; `unknown` may or may not have started a job: look before
 * anything else, never submit another id. `absent`, of one that only adopts: certainly nothing is there.
 */
export type SubmitOutcome =
  | { readonly kind: 'submitted'; readonly job: Job }
  | { readonly kind: 'adopted'; readonly job: Job }
  | { readonly kind: 'conflict'; readonly found: JobMetadata | null }
  | { readonly kind: 'rejected'; readonly code: SubmitRejection; readonly message: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/** One job as the engine reports it now. Times are Unix milliseconds. */
export type FoundJob = {
  readonly kind: 'found';
  readonly status: JobStatus;
  readonly message: string;
  /** E.g. Ray's JOB_ENTRYPOINT_COMMAND_ERROR; null unless FAILED. */
  readonly errorType: string | null;
  /** Exit code of the command; null while it runs, when stopped on request, or ended by a signal. */
  readonly exitCode: number | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly metadata: JobMetadata | null;
  readonly session: string | null;
  /** Small scrubbed facts for a person, e.g. pid, node, signal. */
  readonly details: Readonly<Record<string, string>>;
  /** How busy its machine is, in per cent: its accelerators, and its own memory. Left out where nobody measured. */
  readonly use?: { readonly accelerators?: number; readonly ram?: number };
};

/**
 * `absent`: the engine answered and positively has no such job. `state-lost`: the job was there in an
 * earlier session and the engine has forgotten it, which says nothing about how it ended. `unknown`:
 * no usable answer; never read it as gone.
 */
export type JobObservation =
  | FoundJob
  | { readonly kind: 'absent'; readonly session: string | null }
  | { readonly kind: 'state-lost'; readonly session: string; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Who launched a job and what it runs, as the engine keeps it: claims, without secrets. Null is what it does not keep. */
export type JobOrigin = {
  readonly submitter: string | null;
  /** The command as one line for a POSIX shell. */
  readonly entrypoint: string | null;
  /** The variable GIT_COMMIT, where it is a commit's 40 digits. */
  readonly gitCommit: string | null;
};

/** A job that waits or runs, as a cluster's own list tells of it. `about`: its command, without secrets. */
export type LiveJob = Pick<FoundJob, 'status' | 'startedAtMs' | 'metadata'> & {
  readonly jobId: string;
  readonly about: string;
};

/** A job that anybody may have launched. `cannot`: the engine has it, or may have it, and could not follow it. */
export type JobDescription =
  | { readonly kind: 'described'; readonly job: FoundJob; readonly origin: JobOrigin }
  | { readonly kind: 'cannot'; readonly why: string }
  | Exclude<JobObservation, FoundJob>;

/** What an engine answers for which nobody can follow another's jobs. */
export const CANNOT_DESCRIBE: JobDescription = {
  kind: 'cannot',
  why: 'this engine follows only jobs that ferrybot has submitted',
};

/** What was seen of a job, with where it comes from. */
export function described(seen: JobObservation, origin: JobOrigin): JobDescription {
  return seen.kind === 'found' ? { kind: 'described', job: seen, origin } : seen;
}

/** The commit that a variable of the job names, or null. */
export function commitIn(text: unknown): string | null {
  return typeof text === 'string' && /^[0-9a-f]{40}$/.test(text) ? text : null;
}

/**
 * Part of a log. Offsets are bytes of the engine's log; `bytes` are UTF-8 and never end inside a character: what is no UTF-8
 * is `?`, byte for byte, so that places stay places.
 * `rewound`: the log is shorter than the offset, so it is not the log that was read before.
 */
export type LogRead =
  | {
      readonly kind: 'chunk';
      readonly bytes: Uint8Array;
      readonly offset: number;
      readonly nextOffset: number;
      /** False when more bytes were there already than one chunk carries. */
      readonly atEnd: boolean;
    }
  | { readonly kind: 'rewound'; readonly sizeBytes: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/** What came of a stop. `stopping`: accepted, not seen to end yet; observe again. */
export type StopOutcome =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'stopping'; readonly message?: string }
  | { readonly kind: 'already-ended'; readonly status: JobStatus }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly message: string };

/** Identity of the engine's memory: Ray's `session_name`, this machine's boot id. */
export type EngineSession =
  | { readonly kind: 'session'; readonly id: string; readonly version: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** One job of a pass, with the session in which it was last seen. */
export type AskedJob = { readonly jobId: string; readonly lastSession: string | null };

/** A cluster. No method throws for an expected outcome; a throw is a bug. */
export type Engine = {
  readonly name: string;
  /** True when a new session has forgotten every job of the one before: then *absent* there says nothing about before. */
  readonly forgetsWithSession?: true;
  session(): Promise<EngineSession>;
  /** Before anything is claimed: which of a spec's `files` this engine would not bring to the job. Without it: none. */
  leftOut?(spec: Pick<JobSpec, 'workingDirectory' | 'files'>): Promise<readonly LeftOut[]>;
  /** Spends the permit's capability with this very submission; throws `CapabilityError` where it is not for that. */
  submit(spec: JobSpec, permit: Permit): Promise<SubmitOutcome>;
  /** `lastSession`: the session in which the job was last seen, null if it never was. */
  observe(jobId: string, lastSession: string | null): Promise<JobObservation>;
  /** The same for many jobs in a bounded number of requests, in the order asked; engines without such a list lack it. */
  observeMany?(asked: readonly AskedJob[]): Promise<readonly JobObservation[]>;
  /** What waits or runs there now, whoever launched it; engines without such a list lack it. */
  live?(): Promise<Observed<readonly LiveJob[]>>;
  /** Also of a job that somebody else has launched; what it answers is without secrets. */
  describe(jobId: string): Promise<JobDescription>;
  readLog(jobId: string, offset: number): Promise<LogRead>;
  /** As `submit` does, with the stop of this job. */
  stop(jobId: string, permit: Permit): Promise<StopOutcome>;
  /** Where machines are rented for jobs: the account that pays for them. */
  readonly rented?: RentalAccount;
  /** Where jobs run in the shipped folders: removes those below `trees` in which a job ended long ago, and gives their paths. */
  removeOldTrees?(trees: string): Promise<readonly string[]>;
};

/** The small fact by which an engine names who stopped a job, if it knows. */
export const STOPPED_BY = 'stoppedBy';

/** True when a job in this status never changes again. */
export function isTerminal(status: JobStatus): boolean {
  return status === 'SUCCEEDED' || status === 'FAILED' || status === 'STOPPED';
}

/** Whether what was seen of a job, or what came of its stop, says that it is over. */
export function saysItIsOver(seen: JobObservation | StopOutcome): boolean {
  return (
    (seen.kind === 'found' && isTerminal(seen.status)) ||
    seen.kind === 'already-ended' ||
    seen.kind === 'stopped'
  );
}

/** The submission of one attempt of one run under one manifest, with the command that was approved. */
export function submitStep({
  submissionId,
  metadata,
  command,
}: Pick<JobSpec, 'submissionId' | 'metadata' | 'command'>): ActionStep {
  const { run, attempt, manifest } = metadata;
  return { does: 'submit-job', command: [submissionId, run, String(attempt), manifest, ...command] };
}

/** The stop of one job. */
export function stopStep(jobId: string): ActionStep {
  return { does: 'stop-job', command: [jobId] };
}
