/** Observes a live job through its engine: status, new log lines, and metrics after its end. */

import { isAbsolute, join } from 'node:path';
import { roundingError } from '../../detectors/progress.ts';
import { diagnose, type EndStatus } from '../../diagnosis/diagnose.ts';
import type { TrainerFormat } from '../../diagnosis/trainers.ts';
import { type Engine, isTerminal, type JobObservation } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import type { Lease, Metrics } from '../../domain/logbook/events/job-events.ts';
import type { RunState, Submission } from '../../domain/logbook/run-state.ts';
import type { Tracker } from '../../domain/tracker.ts';
import { cutText, fromRfc3339, type Observed, omitUndefined, type RunId } from '../../domain/values.ts';
import { readMetricsFile } from '../../trackers/metrics-file.ts';
import type { Cadence } from '../../watch/cadence.ts';
import { restoreLogFacts } from '../../watch/course.ts';
import type { Unrecorded } from '../../watch/digest.ts';
import { finishLog, type LogFacts, readLogBytes } from '../../watch/log-facts.ts';
import {
  findOtherJobs,
  NO_WITNESSES,
  type Poll,
  type StoredCheckpoints,
  type TrackerReading,
  type WithheldText,
  type Witnesses,
} from '../../watch/poll.ts';
import { filterTrackedMetrics } from '../../watch/tracker-and-stores.ts';
import type { TrackerLookup } from '../engines.ts';
import type { CloudLookup, EngineLookup, Lab } from '../lab.ts';

/** With 256 KiB each, this is more than the noisiest job writes in 570 s. */
const LOG_CHUNKS_PER_LOOK = 64;
/** Maximum time for reading the log of a running job, so that a slow dashboard does not delay other jobs or a stop. */
const LOG_READ_MS = 60_000;
/** Maximum time for reading the log of an ended job: one gigabyte at 5 MB/s. */
const LAST_LOG_READ_MS = 200_000;
/** One gigabyte in chunks of 256 KiB. */
const LOG_CHUNKS_AT_END = 4_096;
/** How long to wait for an unreadable log after the job's end; a restarting dashboard needs a minute or two. */
const LAST_LOG_PATIENCE_MS = 30 * 60 * 1_000;
/** The diagnosed part of a failed job's log: the first cause precedes the output of a thousand ranks. */
const DIAGNOSED_LOG_BYTES = 4 * 1024 * 1024;
/** Number of lines to redact together, because only the first line of a private key identifies it. */
const LOG_END_READ_LINES_MAX = 200;

/** Tests on virtual time replace it. */
export type MetricsReader = (submission: Submission) => Promise<Metrics>;

export type PollInput = {
  readonly lab: Pick<Lab, 'now'>;
  readonly engine: Engine;
  /** The observation from a list of all jobs; null: observe this job separately. */
  readonly listedJob: JobObservation | null;
  readonly state: RunState;
  readonly submission: Submission;
  readonly lease: Lease;
  readonly cadence: Cadence;
  readonly readMetrics: MetricsReader;
  readonly redact: (text: string) => string;
  /** The lane's own row of the table of trainers. */
  readonly ownFormat?: TrainerFormat | null;
  readonly withheld?: WithheldText | undefined;
  readonly witnesses?: Witnesses;
  /** Whether to report other jobs on the cluster that name this run. */
  readonly reportsOtherJobs?: boolean;
  /** Null: there is no tracker to read. */
  readonly tracker?: TrackerReader | null;
  /** Null: do not read the stores this time. */
  readonly store?: StoreReader | null;
};

/** Reads the stored checkpoints up to this step. */
export type StoreReader = (upTo: number) => Promise<Observed<StoredCheckpoints>>;

/** A tracker, and the choice of its run, given the run ids in the log. */
export type TrackerReader = {
  readonly port: Tracker;
  readonly identityOf: (logged: readonly string[]) => string;
  /** The lane's own keys of measures. */
  readonly keys?: TrackerReading['keys'];
};

/** Reads the status before the log: once the status is final, the log that follows is complete. */
export async function observeJob(input: PollInput): Promise<Poll> {
  const { engine, submission } = input;
  const seen = input.listedJob ?? (await engine.observe(submission.jobId, recordedSession(submission)));
  const read = await readLog(input, seen);
  const job = delayEndUntilLogRead(seen, read.unread, input.lab.now());
  const { log, logOffset } = nextLogPosition(read, hasEnded(job) ? (input.ownFormat ?? null) : undefined);
  const tracker = await readTracker(input, log);
  const metrics = hasEnded(job) ? await readMetrics(input, log, tracker) : {};
  const died =
    // rules VA-13, VA-20
    job.kind === 'found' && job.status === 'FAILED'
      ? preferEngineDiagnosis(await diagnoseEnd(input, logOffset, tracker), job.message)
      : await failureIn(input, job, logOffset);
  const { lease, cadence, redact, withheld, witnesses = NO_WITNESSES } = input;
  const beside = await observeOtherJobs(input);
  const stored = await observeStore(input, job, read);
  const at = input.lab.now();
  return {
    at,
    ...beside,
    ...stored,
    job,
    log,
    logOffset,
    logUnread: read.unread,
    metrics,
    // A tracker without rows is evidence that the job left no metrics. A lane without key metrics needs none.
    metricsExpected:
      witnesses.objective !== null && (isMetricsFileLocal(submission) || tracker?.answer.kind === 'found'),
    ...died,
    tracker,
    witnesses,
    lease,
    cadence,
    redact,
    withheld,
  };
}

/** Other jobs that name the run. If the list cannot be read, only the job itself is observed. */
async function observeOtherJobs({ engine, state, reportsOtherJobs }: PollInput): Promise<Pick<Poll, 'otherJobs'>> {
  if (reportsOtherJobs !== true || engine.live === undefined) return {};
  const live = await engine.live();
  return live.kind === 'known' ? { otherJobs: findOtherJobs(state, live.value) } : {};
}

/** Runs after the log was read, so that the saved checkpoints in the log are already in the store. Skipped before the first step. */
async function observeStore(
  { store }: PollInput,
  job: JobObservation,
  { facts, unread }: Reading,
): Promise<Pick<Poll, 'stored'>> {
  const { step, checkpointStep } = facts;
  if (store == null || unread !== null || step === null) return {};
  if (job.kind !== 'found' || job.status !== 'RUNNING') return {};
  const upTo = Math.max(step.value + (step.exact ? 0 : roundingError(step.value)), checkpointStep ?? 0);
  return { stored: await store(upTo) };
}

function hasEnded(job: JobObservation): boolean {
  return job.kind === 'found' && isTerminal(job.status);
}

/** Delays the end until the whole log was read, up to a time limit. */
function delayEndUntilLogRead(job: JobObservation, unread: string | null, now: number): JobObservation {
  if (job.kind !== 'found' || !isTerminal(job.status) || unread === null) return job;
  if (now - (job.endedAtMs ?? now) >= LAST_LOG_PATIENCE_MS) return job;
  return { kind: 'unknown', message: `the job is ${job.status}, and its log cannot be read: ${unread}` };
}

/** The engine's session when the job was submitted. */
export function recordedSession(submission: Submission): string | null {
  const session = submission.details['session'];
  return typeof session === 'string' && session !== '' ? session : null;
}

async function readTracker({ tracker }: PollInput, log: LogFacts): Promise<TrackerReading | null> {
  // rule HR-74
  if (tracker === null || tracker === undefined) return null;
  const asked = tracker.identityOf(log.trackers.map(({ id }) => id));
  return omitUndefined({ runRequested: asked, answer: await tracker.port.describe(asked), keys: tracker.keys });
}

/** The metrics in the job's file. Without them, the tracker's metrics, overridden by evals in the log, which are newer. */
async function readMetrics(
  { readMetrics, submission, state }: PollInput,
  log: LogFacts,
  tracker: TrackerReading | null,
): Promise<Metrics> {
  const metrics = await readMetrics(submission);
  if (Object.keys(metrics).length > 0) return metrics;
  return { ...filterTrackedMetrics(state, { tracker }), ...log.evals };
}

type DeathReport = Pick<Poll, 'diagnosis' | 'logEnd'>;

/** A job may exit with 0 although its log ends with a failure. */
async function failureIn(input: PollInput, job: JobObservation, end: number): Promise<DeathReport> {
  if (job.kind !== 'found' || job.status !== 'SUCCEEDED') return { diagnosis: null };
  const { diagnosis, logEnd } = await diagnoseLogEnd(input, end, null);
  return diagnosis === null || diagnosis.class === 'benign' || diagnosis.class === 'unknown'
    ? { diagnosis: null }
    : { diagnosis, ...(logEnd === undefined ? {} : { logEnd }) };
}

/** Falls back to the engine's message, because a truncated log may lack the cause: only the engine knows why a machine was preempted. */
function preferEngineDiagnosis(died: DeathReport, message: string): DeathReport {
  if (died.diagnosis?.class !== 'unknown') return died;
  const diagnosis = diagnose([message], 'FAILED');
  return diagnosis.class === 'unknown' ? died : { ...died, diagnosis };
}

/** Diagnoses the end of the log, or the tracker's copy of the log. */
async function diagnoseEnd(input: PollInput, end: number, tracker: TrackerReading | null): Promise<DeathReport> {
  const died = await diagnoseLogEnd(input, end, 'FAILED');
  if (died.diagnosis !== null || tracker?.answer.kind !== 'found') return died;
  const tail = await input.tracker?.port.logTail(tracker.runRequested, LOG_END_READ_LINES_MAX);
  const since = fromRfc3339(input.submission.at) ?? 0;
  // A resumed tracker run also contains lines of earlier attempts.
  const own = tail?.kind === 'lines' ? tail.lines.filter(({ at }) => at !== null && at >= since) : [];
  if (own.length === 0) return died;
  const lines = own.map(({ text }) => text);
  return diagnoseLines(input, lines, 'FAILED');
}

function diagnoseLines(
  { ownFormat = null }: PollInput,
  lines: readonly string[],
  status: EndStatus | null,
): DeathReport {
  const last = lines.slice(-LOG_END_READ_LINES_MAX).map((line) => cutText(line, limits.logLineCharsMax));
  return { diagnosis: diagnose(lines, status, ownFormat), logEnd: last };
}

/** `diagnosis` is null if the log cannot be read. */
async function diagnoseLogEnd(input: PollInput, end: number, status: EndStatus | null): Promise<DeathReport> {
  const { engine, submission, lab } = input;
  const pieces: Uint8Array[] = [];
  const until = lab.now() + LOG_READ_MS;
  const start = Math.max(0, end - DIAGNOSED_LOG_BYTES);
  let [offset, isWhole] = [start, end === 0];
  while (!isWhole && lab.now() < until) {
    const read = await engine.readLog(submission.jobId, offset);
    if (read.kind !== 'chunk') return { diagnosis: null };
    pieces.push(read.bytes);
    isWhole = read.atEnd || read.nextOffset >= end;
    if (read.nextOffset <= offset) break;
    offset = read.nextOffset;
  }
  // The cause is at the end, so a partial log would give a wrong diagnosis.
  if (!isWhole) return { diagnosis: null };
  const lines = new TextDecoder().decode(Buffer.concat(pieces)).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  // The offset may point into the middle of a line.
  return diagnoseLines(input, start > 0 ? lines.slice(1) : lines, status);
}

type Reading = {
  readonly facts: LogFacts;
  readonly offset: number;
  /** Why the log was not read to its end; null if it was. */
  readonly unread: string | null;
};

/** Reads the whole log of an ended job, or the next part of a running job's log. */
async function readLog(
  { lab, engine, state, submission, ownFormat = null }: PollInput,
  job: JobObservation,
): Promise<Reading> {
  let { facts, offset } = restoreLogFacts(state);
  // If the engine does not return the job, do not request its log: timeouts for 200 runs would take hours.
  if (job.kind !== 'found') return { facts, offset, unread: job.kind === 'unknown' ? job.message : null };
  const isOver = hasEnded(job);
  const chunksMax = isOver ? LOG_CHUNKS_AT_END : LOG_CHUNKS_PER_LOOK;
  const until = lab.now() + (isOver ? LAST_LOG_READ_MS : LOG_READ_MS);
  for (let chunk = 0; chunk < chunksMax; chunk += 1) {
    if (lab.now() >= until) return { facts, offset, unread: isOver ? `${offset} bytes have come so far` : null };
    const read = await engine.readLog(submission.jobId, offset);
    if (read.kind === 'rewound') {
      offset = 0;
      continue;
    }
    if (read.kind === 'unknown') return { facts, offset, unread: read.message };
    if (read.kind === 'absent') return { facts, offset, unread: null };
    facts = readLogBytes(facts, read.bytes, ownFormat);
    offset = read.nextOffset;
    if (read.atEnd) return { facts, offset, unread: null };
  }
  // The rest of a longer log is ignored.
  return { facts, offset, unread: null };
}

/** Reads an unfinished last line again next time; after the end, the last line is complete. `ownFormat`: undefined before the end. */
function nextLogPosition(
  { facts, offset }: Reading,
  ownFormat: TrainerFormat | null | undefined,
): { readonly log: LogFacts; readonly logOffset: number } {
  if (ownFormat !== undefined) return { log: finishLog(facts, ownFormat), logOffset: offset };
  return { log: facts, logOffset: offset - Buffer.byteLength(facts.carry, 'utf8') };
}

/** Whether the metrics file must be on this machine. */
function isMetricsFileLocal({ details }: Submission): boolean {
  return isAbsolute(String(details['metricsFile'] ?? '')) || details['workingDirectory'] !== undefined;
}

/** Reads the lane's metrics file if it is on this machine. A relative path starts in the job's folder. */
export async function metricsFromFile(submission: Submission): Promise<Metrics> {
  const path = String(submission.details['metricsFile'] ?? '');
  const directory = submission.details['workingDirectory'];
  if (!isMetricsFileLocal(submission)) return {};
  const read = await readMetricsFile(isAbsolute(path) ? path : join(String(directory), path));
  return read.kind === 'metrics' ? read.metrics : {};
}

export type WatchInput = {
  readonly cluster: string;
  /** Observations that this process has not recorded. */
  readonly unrecorded: Map<RunId, Unrecorded>;
  /** A unique name for this process. */
  readonly holder: string;
  /** GitHub's id of the workflow run of this process. */
  readonly workflowRun: number;
  readonly engineOf: EngineLookup;
  readonly cloudOf: CloudLookup;
  readonly readMetrics: MetricsReader;
  readonly trackerOf: TrackerLookup;
  /** The disk of this machine; null if unknown. */
  readonly diskOf: () => Promise<Witnesses['disk']>;
  readonly redact: (text: string) => string;
  readonly withheld?: WithheldText | undefined;
  /** Frees memory after steps that allocate much. */
  readonly saveMemory: () => void;
};
