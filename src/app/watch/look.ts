/** One look at a live job through its engine: status, the log from where it was left, metrics when it has ended. */

import { isAbsolute, join } from 'node:path';
import { roundingOf } from '../../detectors/progress.ts';
import { createDiagnosis, diagnose } from '../../diagnosis/diagnose.ts';
import { cutText } from '../../domain/cut-text.ts';
import { type Engine, isTerminal, type JobObservation } from '../../domain/engine.ts';
import { limits } from '../../domain/limits.ts';
import type { Lease, Metrics } from '../../domain/logbook/events/job-events.ts';
import type { RunState, Submission } from '../../domain/logbook/run-state.ts';
import type { Observed } from '../../domain/observed.ts';
import { fromRfc3339 } from '../../domain/time.ts';
import type { Tracker } from '../../domain/tracker.ts';
import { readMetricsFile } from '../../trackers/metrics-file.ts';
import { besideOf } from '../../watch/beside.ts';
import type { Cadence } from '../../watch/cadence.ts';
import { finishLog, type LogFacts, readLogBytes } from '../../watch/log-facts.ts';
import {
  type Look,
  NO_WITNESSES,
  type StoredThen,
  type TrackerHeard,
  type Withheld,
  type Witnesses,
} from '../../watch/look.ts';
import { logFactsFrom } from '../../watch/resume-log.ts';
import { trackedMetrics } from '../../watch/tracker-seen.ts';
import type { Lab } from '../lab.ts';

/** Chunks of a log in one look: with 256 KiB each, more than 570 s of the noisiest job; the rest follows at the next look. */
export const LOG_CHUNKS_PER_LOOK = 64;
/** Time for the log of a running job in one look: a dashboard that sends drop by drop must not hold up the others, or a stop. */
export const LOG_READ_MS = 60_000;
/** Time for the log of a job that has ended, in one look: a gigabyte at 5 MB a second; the next look goes on. */
export const LAST_LOG_READ_MS = 200_000;
/** Chunks of the log of a job that has ended, which nobody looks at again: one gigabyte. */
const LOG_CHUNKS_AT_END = 4_096;
/** How long the end of a job waits for a log that cannot be read: a dashboard that restarts is back in a minute or two. */
export const LAST_LOG_PATIENCE_MS = 30 * 60 * 1_000;
/** The end of a failed job's log that is asked what it died of: the first cause stands before its noise, and a thousand ranks make a lot. */
const DIAGNOSED_LOG_BYTES = 4 * 1024 * 1024;
/** How many are scrubbed together for them: a private key has some fifty lines, and only its first says what it is. */
const LOG_END_READ_LINES_MAX = 200;

/** Reads the metrics that a job left behind; replaced in tests that play on virtual time. */
export type MetricsReader = (submission: Submission) => Promise<Metrics>;

export type LookInput = {
  readonly lab: Pick<Lab, 'now'>;
  readonly engine: Engine;
  /** What a pass over all jobs of the cluster has just seen of this one; null: it is asked for. */
  readonly seen: JobObservation | null;
  readonly state: RunState;
  readonly submission: Submission;
  readonly lease: Lease;
  readonly cadence: Cadence;
  readonly readMetrics: MetricsReader;
  readonly redact: (text: string) => string;
  readonly withheld?: Withheld | undefined;
  readonly witnesses?: Witnesses;
  /** Whether people are told what else runs on the cluster and names the run. */
  readonly tellsBeside?: boolean;
  /** Left out or null where nobody asks a tracker. */
  readonly tracker?: AskedTracker | null;
  /** The stores of its checkpoints; left out or null where nobody asks at this look. */
  readonly store?: AskedStore | null;
};

/** What lies in them of the steps up to this one. */
export type AskedStore = (upTo: number) => Promise<Observed<StoredThen>>;

/** A tracker, and which of its runs is asked for, given those that the log names. */
export type AskedTracker = {
  readonly port: Tracker;
  readonly identityOf: (logged: readonly string[]) => string;
};

/** Looks once. The engine's status is read before the log, so that a log that is read to its end belongs to a job that has ended. */
export async function observeJob(input: LookInput): Promise<Look> {
  const { engine, submission } = input;
  const seen = input.seen ?? (await engine.observe(submission.jobId, sessionOf(submission)));
  const read = await readOn(input, seen);
  const job = unlessUnread(seen, read.unread, input.lab.now());
  const { log, logOffset } = placeOf(read, hasEnded(job));
  const tracker = await trackerHeard(input, log);
  const metrics = hasEnded(job) ? await metricsOf(input, log, tracker) : {};
  const died =
    // rules VA-13, VA-20
    job.kind === 'found' && job.status === 'FAILED'
      ? orOfEngine(await diagnosisOf(input, logOffset, tracker), job.message)
      : { diagnosis: null };
  const { lease, cadence, redact, withheld, witnesses = NO_WITNESSES } = input;
  const beside = await seenBeside(input);
  const stored = await seenInStore(input, job, read);
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
    // A tracker that shows the run and no row of it: the job left none.
    metricsExpected: isFileHere(submission) || tracker?.answer.kind === 'found',
    ...died,
    tracker,
    witnesses,
    lease,
    cadence,
    redact,
    withheld,
  };
}

/** A list that cannot be read says nothing: the job itself is looked at all the same. */
async function seenBeside({ engine, state, tellsBeside }: LookInput): Promise<Pick<Look, 'beside'>> {
  if (tellsBeside !== true || engine.live === undefined) return {};
  const live = await engine.live();
  return live.kind === 'known' ? { beside: besideOf(state, live.value) } : {};
}

/** After the log, so that what it calls saved lies there by then. Before the first step, and of a log that cannot be read, nothing can be missed. */
async function seenInStore(
  { store }: LookInput,
  job: JobObservation,
  { facts, unread }: Reading,
): Promise<Pick<Look, 'stored'>> {
  const { step, checkpointStep } = facts;
  if (store == null || unread !== null || step === null) return {};
  if (job.kind !== 'found' || job.status !== 'RUNNING') return {};
  const upTo = Math.max(step.value + (step.exact ? 0 : roundingOf(step.value)), checkpointStep ?? 0);
  return { stored: await store(upTo) };
}

function hasEnded(job: JobObservation): boolean {
  return job.kind === 'found' && isTerminal(job.status);
}

/** An end is recorded with the whole log, so one whose log cannot be read yet is not recorded yet; not for ever. */
function unlessUnread(job: JobObservation, unread: string | null, now: number): JobObservation {
  if (job.kind !== 'found' || !isTerminal(job.status) || unread === null) return job;
  if (now - (job.endedAtMs ?? now) >= LAST_LOG_PATIENCE_MS) return job;
  return { kind: 'unknown', message: `the job is ${job.status}, and its log cannot be read: ${unread}` };
}

/** The engine's session when the job was submitted, the last in which it was certainly there. */
export function sessionOf(submission: Submission): string | null {
  const session = submission.details['session'];
  return typeof session === 'string' && session !== '' ? session : null;
}

async function trackerHeard({ tracker }: LookInput, log: LogFacts): Promise<TrackerHeard | null> {
  // rule HR-74
  if (tracker === null || tracker === undefined) return null;
  const asked = tracker.identityOf(log.trackers.map(({ id }) => id));
  return { asked, answer: await tracker.port.describe(asked) };
}

/**
 * What the job's file says; where it is not to be had, what the tracker has of this attempt, and above that the evals that
 * the log printed: the tracker's view lags behind it.
 */
async function metricsOf(
  { readMetrics, submission, state }: LookInput,
  log: LogFacts,
  tracker: TrackerHeard | null,
): Promise<Metrics> {
  const metrics = await readMetrics(submission);
  if (Object.keys(metrics).length > 0) return metrics;
  const tracked = trackedMetrics(state, { tracker });
  return submission.details['workingDirectory'] === undefined ? { ...tracked, ...log.evals } : tracked;
}

type Died = Pick<Look, 'diagnosis' | 'logEnd'>;

/** A log that breaks off says nothing of it: why a machine was taken away the engine alone knows. */
function orOfEngine(died: Died, message: string): Died {
  if (died.diagnosis?.class !== 'unknown') return died;
  const diagnosis = diagnose([message], 'FAILED');
  return diagnosis.class === 'unknown' ? died : { ...died, diagnosis };
}

/** What a failed job died of, by the end of its log; where that cannot be read, by what the tracker kept of it. */
async function diagnosisOf(input: LookInput, end: number, tracker: TrackerHeard | null): Promise<Died> {
  const died = await diagnosisOfLog(input, end);
  if (died.diagnosis !== null || tracker?.answer.kind !== 'found') return died;
  const tail = await input.tracker?.port.logTail(tracker.asked, LOG_END_READ_LINES_MAX);
  const since = fromRfc3339(input.submission.at) ?? 0;
  // A run that goes on under its id has the lines of the attempt before.
  const own = tail?.kind === 'lines' ? tail.lines.filter(({ at }) => at !== null && at >= since) : [];
  if (own.length === 0) return died;
  const { read, conclude } = createDiagnosis();
  for (const { text } of own) read(text);
  return {
    diagnosis: conclude('FAILED'),
    logEnd: own.map(({ text }) => cutText(text, limits.logLineCharsMax)),
  };
}

/** By the end of the engine's log, and that end; null where it cannot be read. */
async function diagnosisOfLog({ engine, submission, lab }: LookInput, end: number): Promise<Died> {
  const { read: understand, conclude } = createDiagnosis();
  const last: string[] = [];
  const take = (line: string): void => {
    understand(line);
    last.push(cutText(line, limits.logLineCharsMax));
    if (last.length > 2 * LOG_END_READ_LINES_MAX) last.splice(0, LOG_END_READ_LINES_MAX);
  };
  const decoder = new TextDecoder();
  const until = lab.now() + LOG_READ_MS;
  let offset = Math.max(0, end - DIAGNOSED_LOG_BYTES);
  // Who begins in the middle of a log begins in the middle of a line.
  let [rest, isCut, isWhole] = ['', offset > 0, false];
  while (offset < end && lab.now() < until) {
    const read = await engine.readLog(submission.jobId, offset);
    if (read.kind !== 'chunk') return { diagnosis: null };
    const lines = (rest + decoder.decode(read.bytes, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of isCut ? lines.slice(1) : lines) take(line);
    if (lines.length > 0) isCut = false;
    isWhole = read.atEnd || read.nextOffset >= end;
    if (isWhole || read.nextOffset <= offset) break;
    offset = read.nextOffset;
  }
  // What it died of stands at the end: half of that says something else.
  if (!isWhole && end > 0) return { diagnosis: null };
  if (rest !== '') take(rest);
  return { diagnosis: conclude('FAILED'), logEnd: last };
}

type Reading = {
  readonly facts: LogFacts;
  readonly offset: number;
  /** Why the log was not read to its end; null: it was. */
  readonly unread: string | null;
};

/** A log of a job that has ended is read to its end; of another, a part, and the rest at the next look. */
async function readOn({ lab, engine, state, submission }: LookInput, job: JobObservation): Promise<Reading> {
  let { facts, offset } = logFactsFrom(state);
  // Who does not answer about the job would not about its log: with two hundred runs the time-outs alone take hours.
  if (job.kind !== 'found') return { facts, offset, unread: job.kind === 'unknown' ? job.message : null };
  const isOver = hasEnded(job);
  const chunksMax = isOver ? LOG_CHUNKS_AT_END : LOG_CHUNKS_PER_LOOK;
  const until = lab.now() + (isOver ? LAST_LOG_READ_MS : LOG_READ_MS);
  for (let chunk = 0; chunk < chunksMax; chunk += 1) {
    if (lab.now() >= until)
      return { facts, offset, unread: isOver ? `${offset} bytes have come so far` : null };
    const read = await engine.readLog(submission.jobId, offset);
    if (read.kind === 'rewound') {
      offset = 0;
      continue;
    }
    if (read.kind === 'unknown') return { facts, offset, unread: read.message };
    if (read.kind === 'absent') return { facts, offset, unread: null };
    facts = readLogBytes(facts, read.bytes);
    offset = read.nextOffset;
    if (read.atEnd) return { facts, offset, unread: null };
  }
  // What is longer than that is given up at the end.
  return { facts, offset, unread: null };
}

/** The unfinished last line is read again from its beginning, also by another process; at the end it is the last. */
function placeOf(
  { facts, offset }: Reading,
  isOver: boolean,
): { readonly log: LogFacts; readonly logOffset: number } {
  if (isOver) return { log: finishLog(facts), logOffset: offset };
  return { log: facts, logOffset: offset - Buffer.byteLength(facts.carry, 'utf8') };
}

/** Whether the metrics file lies on this machine, if the job has written it. */
function isFileHere({ details }: Submission): boolean {
  return isAbsolute(String(details['metricsFile'] ?? '')) || details['workingDirectory'] !== undefined;
}

/** The metrics file that the lane's config names, relative to where the job ran, if that is here. Missing metrics stay missing. */
export async function metricsFromFile(submission: Submission): Promise<Metrics> {
  const path = String(submission.details['metricsFile'] ?? '');
  const directory = submission.details['workingDirectory'];
  if (!isFileHere(submission)) return {};
  const read = await readMetricsFile(isAbsolute(path) ? path : join(String(directory), path));
  return read.kind === 'metrics' ? read.metrics : {};
}
