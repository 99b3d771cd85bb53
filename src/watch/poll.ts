/** The facts of one poll of a job, before conclusions are drawn. */

import type { Evidence, FollowedMeasure } from '../detectors/detector.ts';
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import { isTerminal, type JobObservation, type LiveJob } from '../domain/engine.ts';
import { runFromSubmissionId } from '../domain/launch/order.ts';
import { limits } from '../domain/limits.ts';
import type { Lease, Metrics, OtherJob } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { TrackerAnswer } from '../domain/tracker.ts';
import { cutText, type Instant, instantFromMs, type Observed, toRfc3339 } from '../domain/values.ts';
import type { Cadence } from './cadence.ts';
import type { LogFacts } from './log-facts.ts';

/** Lines kept and shown from the end of a failed job's log: one screen. */
const LOG_END_LINES_MAX = 30;
/** Characters kept per line: enough to recognise it, and all thirty fit on the card. */
const LOG_END_LINE_CHARS_MAX = 300;

/** Facts from sources other than engine and log; null or empty if no source has them. */
export type Witnesses = {
  readonly disk: Evidence['disk'];
  /** The loss over the steps of the lane's last runs, newest first. */
  readonly lane: Evidence['lane'];
  /** Settings as launched, and as the job reports them. */
  readonly config: Evidence['config'];
  /** The metric that judges the run first, and its good direction. */
  readonly objective: Pick<NonNullable<Evidence['objective']>, 'key' | 'better'> | null;
  /** The intended run of the tracker, for a run without a manifest. */
  readonly trackerIntended: string | null;
  readonly artefacts: Omit<Evidence['artefacts'], 'work'>;
};

export const NO_WITNESSES: Witnesses = {
  disk: null,
  lane: null,
  config: [],
  objective: null,
  trackerIntended: null,
  artefacts: { checkpoint: null, metrics: null },
};

/** The newest complete checkpoint of the run's lineage, and the highest later step that has a folder. */
export type StoredCheckpoints = {
  readonly newest: { readonly step: number; readonly writtenAt: Instant } | null;
  readonly partial: number | null;
};

/** The tracker's answer about the run `asked`. */
export type TrackerReading = {
  readonly runRequested: string;
  readonly answer: TrackerAnswer;
  readonly keys?: Partial<TrackedKeys>;
};

/** The tracker's keys of each measure that detectors follow, in order of preference. */
export type TrackedKeys = Readonly<Record<FollowedMeasure, readonly string[]>>;

/** The engine's answer, the facts from the log so far, and the offset for the next read. */
export type Poll = {
  readonly at: Instant;
  readonly job: JobObservation;
  readonly log: LogFacts;
  readonly logOffset: number;
  /** Why the log could not be read further; null if it was. */
  readonly logUnread: string | null;
  readonly metrics: Metrics;
  /** Whether a successful job must have left metrics that this process can read; undefined if unknown. */
  readonly metricsExpected?: boolean;
  /** The tracker's answer and the run in question; undefined or null if the tracker was not asked. */
  readonly tracker?: TrackerReading | null;
  /** Other jobs on the cluster that name this run; undefined if the list was not requested or not readable. */
  readonly otherJobs?: readonly OtherJob[];
  /** The answer of the checkpoint stores; undefined if this poll did not ask them. */
  readonly stored?: Observed<StoredCheckpoints>;
  /** Undefined if no other source was asked. */
  readonly witnesses?: Witnesses;
  /** Null if the log was not readable, or shows no failure of a job that did not fail. */
  readonly diagnosis: Diagnosis | null;
  /** With a diagnosis: the last raw lines of the log, more than the record keeps. */
  readonly logEnd?: readonly string[];
  readonly lease: Lease;
  readonly cadence: Cadence;
  readonly redact: (text: string) => string;
  /** Undefined if this process has every secret of the job. */
  readonly withheld?: WithheldText | undefined;
};

/** The job variables that this process lacks, and the workflow files that could provide them. */
export type WithheldText = { readonly secrets: string; readonly workflows: string };

/** The engine's message about the job, or the reason for its absence. */
export function jobMessage(job: JobObservation): string {
  if (job.kind === 'found') return job.message;
  return job.kind === 'absent' ? 'the engine has no such job' : `${job.kind}: ${job.message}`;
}

/** Redacts and truncates a text. The result is well-formed, because canonical JSON rejects half a surrogate pair. */
export function redactAndTruncate({ redact }: Pick<Poll, 'redact'>, text: string): string {
  return cutText(redact(text), limits.messageCharactersMax);
}

/**
 * The last lines of a log. Redact them together with earlier lines, because the first line identifies a multi-line key. Truncate each line
 * afterwards. Drop lines too long to be read whole.
 */
export function redactAndTruncateEnd({ redact, logEnd = [] }: Pick<Poll, 'redact' | 'logEnd'>): readonly string[] {
  const whole = logEnd.map((line) => (line.length < limits.logLineCharsMax ? line : '…'));
  return redact(whole.join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LOG_END_LINES_MAX)
    .map((line) => cutText(line, LOG_END_LINE_CHARS_MAX));
}

/** The most jobs reported; an operator with more leftovers has to check the cluster. */
const BESIDE_MAX = 5;

/** Live jobs that name this run, except its current job. A job submitted for another run belongs to that run. */
export function findOtherJobs({ run, submission, order }: RunState, live: readonly LiveJob[]): readonly OtherJob[] {
  const words = [run, order?.manifest?.tracker.runId ?? run];
  return (
    live
      // rule HR-29
      .filter(({ jobId, status }) => jobId !== submission?.jobId && !isTerminal(status))
      .filter(({ jobId, about, metadata }) => {
        // If the list shows only names, the job's submission id contains the run.
        const said = metadata?.run ?? runFromSubmissionId(jobId);
        if (said !== null) return said === run;
        return words.some((word) => mentionsWord(jobId, word) || mentionsWord(about, word));
      })
      .slice(0, BESIDE_MAX)
      .map(({ jobId, status, startedAtMs }) => {
        const since = startedAtMs === null ? null : instantFromMs(startedAtMs);
        return { jobId, status, since: since === null ? null : toRfc3339(since) };
      })
  );
}

/** Whether the word occurs as a whole: `grug-ep8` does not occur in `grug-ep80`, but in `diag-grug-ep8-nccl`. */
function mentionsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + word.length] ?? ' '];
    if (!/[A-Za-z0-9]/.test(before) && !/[A-Za-z0-9]/.test(after)) return true;
  }
  return false;
}
