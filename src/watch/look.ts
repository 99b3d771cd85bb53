/** One look at a job, before anything is concluded from it. */

import type { Evidence } from '../detectors/detector.ts';
import type { Diagnosis } from '../diagnosis/diagnose.ts';
import { isTerminal, type JobObservation, type LiveJob } from '../domain/engine.ts';
import { runInSubmissionId } from '../domain/launch/order.ts';
import { limits } from '../domain/limits.ts';
import type { BesideJob, Lease, Metrics } from '../domain/logbook/events/job-events.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import type { TrackerAnswer } from '../domain/tracker.ts';
import { cutText, type Instant, momentOfMs, type Observed, toRfc3339 } from '../domain/values.ts';
import type { Cadence } from './cadence.ts';
import type { LogFacts } from './log-facts.ts';

/** The last lines of a failed job's log that are kept and shown: a screen of them. */
const LOG_END_LINES_MAX = 30;
/** What is kept of each: enough to recognise it, and all thirty fit the card. */
const LOG_END_LINE_CHARS_MAX = 300;

/** What others than engine and log say; null or empty where nobody does. */
export type Witnesses = {
  readonly disk: Evidence['disk'];
  /** The course of the loss of the lane's last runs, newest first. */
  readonly lane: Evidence['lane'];
  /** Settings as they were launched, and as the job says that it runs with. */
  readonly config: Evidence['config'];
  /** The metric by which the run is judged first, and which way is good. */
  readonly objective: Pick<NonNullable<Evidence['objective']>, 'key' | 'better'> | null;
  /** The run of the tracker that was meant, where no manifest says it. */
  readonly trackerIntended: string | null;
  readonly left: Evidence['left'];
};

export const NO_WITNESSES: Witnesses = {
  disk: null,
  lane: null,
  config: [],
  objective: null,
  trackerIntended: null,
  left: { checkpoint: null, metrics: null },
};

/** The newest whole checkpoint of the run's lineage, and the largest step beyond it of which there is a folder. */
export type StoredThen = {
  readonly newest: { readonly step: number; readonly writtenAt: Instant } | null;
  readonly partial: number | null;
};

/** The answer about the run `asked`. */
export type TrackerHeard = { readonly asked: string; readonly answer: TrackerAnswer };

/** What the engine said, what the log says by now, and where reading goes on. */
export type Look = {
  readonly at: Instant;
  readonly job: JobObservation;
  readonly log: LogFacts;
  readonly logOffset: number;
  /** Why the log was not read on; null: it was. */
  readonly logUnread: string | null;
  readonly metrics: Metrics;
  /** Whether a job that ended well has to have left some, where they can be read here; left out where nobody can say. */
  readonly metricsExpected?: boolean;
  /** What the tracker said, and which of its runs it was asked for; left out or null where nobody asks it. */
  readonly tracker?: TrackerHeard | null;
  /** What else runs there and names the run; left out where nobody asked, or the list could not be read. */
  readonly beside?: readonly BesideJob[];
  /** What the stores of its checkpoints said; left out where nobody asked them at this look. */
  readonly stored?: Observed<StoredThen>;
  /** Left out where nobody else was asked. */
  readonly witnesses?: Witnesses;
  /** Of a job that failed; null where it did not, or its log could not be read. */
  readonly diagnosis: Diagnosis | null;
  /** Beside a diagnosis: the last lines of the log as they stand there, more than are kept. */
  readonly logEnd?: readonly string[];
  readonly lease: Lease;
  readonly cadence: Cadence;
  readonly redact: (text: string) => string;
  /** Left out where this process has every secret that the job has. */
  readonly withheld?: Withheld | undefined;
};

/** The variables that jobs of this cluster are passed and this process lacks, and the workflow files that could give them. */
export type Withheld = { readonly secrets: string; readonly workflows: string };

/** The engine's own words about the job, or what it comes to that there are none. */
export function saidOf(job: JobObservation): string {
  if (job.kind === 'found') return job.message;
  return job.kind === 'absent' ? 'the engine has no such job' : `${job.kind}: ${job.message}`;
}

/** A text without secrets and bounded; well-formed after the cut, because canonical JSON refuses half a character. */
export function redactAndTruncate({ redact }: Pick<Look, 'redact'>, text: string): string {
  return cutText(redact(text), limits.messageCharactersMax);
}

/**
 * The same of a line of a log. The end of one that was too long to be read whole may be half of a secret, which nobody
 * finds: it is left out after the scrubbing, whatever that has made shorter.
 */
export function redactAndTruncateLine({ redact }: Pick<Look, 'redact'>, line: string): string {
  const clean = redact(line);
  const whole =
    line.length < limits.logLineCharsMax ? clean : cutText(clean, clean.length - limits.secretCharactersMax);
  return cutText(whole, limits.messageCharactersMax);
}

/**
 * The last lines of a log. They are scrubbed together and with those before them, because a key of several lines is known
 * by its first, and each is cut after that. Of one that was too long to be read whole nothing is kept.
 */
export function redactAndTruncateEnd({
  redact,
  logEnd = [],
}: Pick<Look, 'redact' | 'logEnd'>): readonly string[] {
  const whole = logEnd.map((line) => (line.length < limits.logLineCharsMax ? line : '…'));
  return redact(whole.join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LOG_END_LINES_MAX)
    .map((line) => cutText(line, LOG_END_LINE_CHARS_MAX));
}

/** So many are told of: who has more left running looks at the cluster. */
const BESIDE_MAX = 5;

/** Those of the list that are this run's by their own word, and not its current job; a job of another run of ours is that run's. */
export function besideOf(
  { run, submission, order }: RunState,
  live: readonly LiveJob[],
): readonly BesideJob[] {
  const words = [run, order?.manifest?.tracker.runId ?? run];
  return (
    live
      // rule HR-29
      .filter(({ jobId, status }) => jobId !== submission?.jobId && !isTerminal(status))
      .filter(({ jobId, about, metadata }) => {
        // Where a list shows no more than names, those of ours say whose they are.
        const said = metadata?.run ?? runInSubmissionId(jobId);
        if (said !== null) return said === run;
        return words.some((word) => namesIt(jobId, word) || namesIt(about, word));
      })
      .slice(0, BESIDE_MAX)
      .map(({ jobId, status, startedAtMs }) => {
        const since = startedAtMs === null ? null : momentOfMs(startedAtMs);
        return { jobId, status, since: since === null ? null : toRfc3339(since) };
      })
  );
}

/** As a word of its own: `grug-ep8` is none in `grug-ep80`, and is one in `diag-grug-ep8-nccl`. */
function namesIt(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + word.length] ?? ' '];
    if (!/[A-Za-z0-9]/.test(before) && !/[A-Za-z0-9]/.test(after)) return true;
  }
  return false;
}
