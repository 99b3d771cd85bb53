/** Diagnoses from its log why a job failed: the first cause rather than the loudest line, and `unknown` rather than a guess. */

import { type Confidence, type FailureClass, FIRST_RESPONSE, type FirstResponse } from '../domain/failure-class.ts';
import { limits } from '../domain/limits.ts';
import { cutText } from '../domain/values.ts';
import {
  addLastLine,
  addReport,
  addRhythmLine,
  chooseFinding,
  endsLikeBefore,
  isAlarmLine,
  isLineCutShort,
  isOfPeers,
  isOvershadowed,
  type LastLines,
  type LastReports,
  type LogFinding,
  NOISE,
  repeatsSinceLine,
} from './choose-finding.ts';
import { isTopLevelScript, judgeTraceback, raisingFrame } from './exception-class.ts';
import { type Level, type PlainLine, readLogLine } from './line-prefixes.ts';
import type { Row } from './row.ts';
import { findBareRow, findRow } from './rows.ts';
import {
  type BoundedEnds,
  createTracebackReader,
  keepBothEnds,
  type Raised,
  type Traceback,
  type TracebackReader,
} from './traceback.ts';
import type { TrainerFormat } from './trainers.ts';
import { readTrainingLine, type TrainingLine } from './training-line.ts';

/** Processes that wait for steps of others report a stall only as information. */
const CONTINUES_ANYWAY = /\b(?:watchdog|supervisor|monitor|sidecar)\b/i;

/** Loggers report a NaN loss, a preemption notice and a full queue as information. */
const ALWAYS_LOGGED_SOFTLY: readonly FailureClass[] = ['nan', 'preempted', 'capacity'];

/** The job handled the NaN and continued. */
const HANDLED =
  /^\W{0,4}warn(?:ing)?\b.{0,200}\b(?:skipp(?:ing|ed)|ignor\w{2,4}|reset(?:ting)?|replac(?:ing|ed)|zero(?:ing|ed)|clamp\w{2,4})\b/i;

const RETRIES =
  /\bretry(?:ing)?\b(?! (?:attempts? )?(?:failed|exhausted))|(?<!max )\bretries\b(?! exhausted)|will try again|backing off|attempt \d{1,4} ?(?:\/|of) ?\d/i;

/** A log line, numbered from 1, with its raw text up to `limits.logLineCharsMax`. Redact the text before you truncate it. */
export type Evidence = { readonly line: number; readonly text: string };

export type Diagnosis = {
  readonly class: FailureClass;
  readonly confidence: Confidence;
  readonly evidence: readonly Evidence[];
  readonly response: FirstResponse;
  /** The exception that explains the failure, at the innermost frame in the lab's own code. */
  readonly traceback: { readonly file: string; readonly line: number; readonly message: string } | null;
};

/** How the job ended, from a source more reliable than its log. */
export type EndStatus = 'SUCCEEDED' | 'FAILED' | 'STOPPED';

export type LogDiagnosis = {
  readonly read: (line: string) => void;
  /** Call this after the last line. `status` null: the job's end is unknown. */
  readonly conclude: (status: EndStatus | null) => Diagnosis;
};

/** Reads a log line by line, in bounded memory. `own`: the lane's own row of the table of trainers. */
export function createDiagnosis(own: TrainerFormat | null = null): LogDiagnosis {
  const reading = createReading(own);
  return { read: (line) => addRawLine(reading, line), conclude: (status) => concludeDiagnosis(reading, status) };
}

/** Diagnoses a complete log. */
export function diagnose(
  lines: Iterable<string>,
  status: EndStatus | null,
  own: TrainerFormat | null = null,
): Diagnosis {
  const { read, conclude: end } = createDiagnosis(own);
  for (const line of lines) read(line);
  return end(status);
}

/** State after the lines read so far. */
type LogReading = {
  readonly own: TrainerFormat | null;
  readonly tracebacks: TracebackReader;
  /** Grouped by class, so that frequent findings leave room for rare ones. */
  readonly findings: Map<FailureClass, BoundedEnds<LogFinding>>;
  /** Lines of tracebacks that may name the exception; they become evidence. */
  readonly exceptionTexts: Map<number, string>;
  /** The numbers of the last few lines with a step, and of the last few with a finite loss. */
  progress: number[];
  finite: number[];
  readonly reports: LastReports;
  /** The last line with a shell prompt and a command; 0 for none. */
  promptAt: number;
  /** The last exception name that has neither a traceback nor a matching row; 0 for none. */
  unexplainedAt: number;
  /** The last line of a traceback. The log may be truncated inside that traceback. */
  tracebackEndAt: number;
  /** Lines that report a failure and match no row. */
  readonly alarms: BoundedEnds<number>;
  readonly last: LastLines;
  lines: number;
};

function createReading(own: TrainerFormat | null): LogReading {
  return {
    own,
    tracebacks: createTracebackReader(),
    findings: new Map(),
    exceptionTexts: new Map(),
    progress: [],
    finite: [],
    reports: createLastReports(),
    promptAt: 0,
    unexplainedAt: 0,
    tracebackEndAt: 0,
    alarms: keepBothEnds<number>(ALARMS_MAX),
    last: createLastLines(),
    lines: 0,
  };
}

function addRawLine(reading: LogReading, raw: string): void {
  reading.lines += 1;
  const shown = cutText(raw, limits.logLineCharsMax);
  for (const one of readLogLine(raw)) addLogLine(reading, one, shown);
}

function addLogLine(reading: LogReading, parsed: PlainLine, shown: string): void {
  const { text, level, stream } = parsed;
  const line = reading.lines;
  if (reading.tracebacks.readLine(parsed, line)) {
    reading.tracebackEndAt = line;
    if (/^\s*[A-Z_a-z][\w.]*(?:\(|:|$)/.test(text) && reading.exceptionTexts.size < RAISED_TEXTS_MAX)
      reading.exceptionTexts.set(line, shown);
    return;
  }
  // After a shell prompt a person inspects earlier output, so steps there prove no recovery.
  if (PROMPT.test(text))
    Object.assign(reading, { promptAt: line, progress: [], finite: [] } satisfies Partial<LogReading>);
  const training = readTrainingLine(parsed.whole, reading.own);
  const isStep = training !== null && (training.step !== null || training.work !== 'training' || COUNTS.test(text));
  const isSound = isStep && hasFiniteLoss(training);
  addLastLine(reading.last, { text, isStep, isSoft: level === 'quiet' || level === 'warning' });
  if (isStep) pushBounded(reading.progress, line, STEPS_AGAIN);
  if (isSound) pushBounded(reading.finite, line, FINITE_AGAIN);
  if (isSound || NOISE.test(text)) return;
  addReport(reading.reports, parsed, line);
  // The source location in a logger's prefix may be the only match.
  const row = findRow(text) ?? (level === 'error' ? findRow(shown.trim()) : null) ?? findBareRow(text);
  if (row === null && reading.reports.loneExceptionAt === line) reading.unexplainedAt = line;
  if (row === null && isAlarmLine(text, level)) reading.alarms.add(line);
  else if (row === null) addRhythmLine(reading.last, text, line);
  const weight = row === null ? null : weighRow(row, level, text);
  if (row === null || weight === null) return;
  const { class: kind, confidence } = row;
  const alike = reading.findings.get(kind) ?? keepBothEnds<LogFinding>(FINDINGS_MAX);
  reading.findings.set(kind, alike);
  alike.add({ class: kind, confidence, weight, line, text: shown, exception: null, stream });
}

/** An epoch, or any progress count such as `3/10`. */
const COUNTS = /Progress on:\w|\bepoch\W{0,4}\d|(?<![\w./-])\d{1,9} {0,3}\/ {0,3}\d{1,9}(?![\w./-])/i;

/** A loss with a NaN gradient is not finite, such as a loss of zero. */
function hasFiniteLoss({ measures: { loss = '', 'grad-norm': gradient = '' } }: TrainingLine): boolean {
  return /\d/.test(loss) && !/nan/i.test(gradient);
}

function pushBounded(kept: number[], line: number, count: number): void {
  kept.push(line);
  if (kept.length > count) kept.shift();
}

function concludeDiagnosis(reading: LogReading, status: EndStatus | null): Diagnosis {
  const { exceptionTexts, tracebacks } = reading;
  const raisedBy = tracebacks.found().flatMap((one) => findingFromTraceback(one, exceptionTexts) ?? []);
  const direct = [...reading.findings.values()].flatMap((alike) => alike.all());
  const all = [...direct, ...raisedBy].toSorted((a, b) => a.line - b.line);
  const findings = dropRecoveredFindings(all, reading, status);
  const chosen = chooseFinding(findings);
  const alarms = reading.alarms.all().filter((line) => !isFollowed(reading.progress, STEPS_AGAIN, line));
  if (chosen !== null && isOvershadowed(chosen, findings, alarms)) return UNKNOWN;
  // An exception that could not be parsed may be the cause of these effects.
  if (chosen?.weight === 'effect' && reading.reports.loneExceptionAt > 0) return UNKNOWN;
  if (chosen?.weight === 'hint' && reading.unexplainedAt > 0) return UNKNOWN;
  if (chosen !== null && isOfPeers(chosen, findings, reading.reports.endedRank)) return UNKNOWN;
  if (chosen === null) return diagnoseWithoutFinding(reading, status);
  const alike = findings.filter((one) => one.class === chosen.class).slice(0, EVIDENCE_MAX);
  const raised = chosen.exception ?? raisedBy[0]?.exception ?? null;
  // Replace an unreliable class by `unknown`, but keep its evidence.
  const kind = isUncertain(chosen, findings, { alarms, worksSince: repeatsSinceLine(reading.last) })
    ? 'unknown'
    : chosen.class;
  return {
    class: kind,
    confidence: kind === 'unknown' ? 'low' : chosen.confidence,
    evidence: alike.map(({ line, text }) => ({ line, text })),
    response: FIRST_RESPONSE[kind],
    traceback: raised === null ? null : describeTraceback(raised),
  };
}

function findingFromTraceback(traceback: Traceback, texts: ReadonlyMap<number, string>): LogFinding | null {
  const judged = judgeTraceback(traceback);
  if (judged === null) return null;
  const { exception, class: kind, weight, confidence } = judged;
  const line = exception.lineNumber;
  const text = texts.get(line) ?? `${exception.type}: ${exception.message}`;
  return { class: kind, weight, confidence, exception, line, text, stream: traceback.stream };
}

/** A warning is evidence only for classes that are normally logged as warnings; a retry is only a hint. */
function weighRow(row: Row, level: Level | null, text: string): Row['weight'] | null {
  if (row.class === 'nan' && HANDLED.test(text)) return null;
  const isSoft = row.class === 'stalled' ? CONTINUES_ANYWAY.test(text) : ALWAYS_LOGGED_SOFTLY.includes(row.class);
  if (isSoft) return row.weight;
  // Ray logs a dead node as a warning.
  if (level === 'warning' && row.weight === 'cause' && row.class === 'infra-cluster') return 'hint';
  if (level === 'quiet' || level === 'warning') return null;
  return RETRIES.test(text) ? 'hint' : row.weight;
}

/** Drops findings that the job recovered from: training continued after them, or the job finished. */
function dropRecoveredFindings(
  findings: readonly LogFinding[],
  { progress, finite, promptAt, reports: { successAt, failureAt, restartedAt, reconnectedAt } }: LogReading,
  status: EndStatus | null,
): readonly LogFinding[] {
  // A status says nothing about the numbers: a job can train with a NaN loss to its last step.
  if (status === 'SUCCEEDED')
    return findings.filter((one) => one.class === 'nan' && !isFollowed(finite, FINITE_AGAIN, one.line));
  const isOver = status === null && hasFinished(successAt, failureAt, progress);
  // If a cause follows a restart, only findings after the restart count.
  const since = findings.some(({ line, weight }) => line > restartedAt && weight === 'cause') ? restartedAt : 0;
  // One later step is enough to dismiss a hint, if no failure was reported after that step.
  const wellAt = failureAt > (progress.at(-1) ?? 0) ? 0 : (progress.at(-1) ?? 0);
  return findings.filter(({ line, class: kind, weight, exception }) => {
    if (line <= since) return false;
    if (line < promptAt) return true;
    if (kind === 'network' && line <= reconnectedAt) return false;
    if (isOver && line < successAt && kind !== 'nan') return false;
    // After a preemption notice, steps continue until the machine is gone.
    if (kind === 'preempted' && wellAt === 0) return true;
    if (isOver && line > successAt) return exception !== null && isTopLevelScript(exception);
    if (weight === 'hint' && kind !== 'nan' && line < wellAt) return false;
    return kind === 'nan' ? !isFollowed(finite, FINITE_AGAIN, line) : !isFollowed(progress, STEPS_AGAIN, line);
  });
}

/** A progress bar may be drawn once more after the success message. */
function hasFinished(successAt: number, failureAt: number, progress: readonly number[]): boolean {
  return successAt > Math.max(failureAt, progress.at(-2) ?? 0, 0);
}

function isFollowed(last: readonly number[], count: number, line: number): boolean {
  return last.length >= count && (last[0] ?? 0) > line;
}

function diagnoseWithoutFinding(
  {
    reports: { successAt, failureAt, loneExceptionAt, errorAt },
    tracebackEndAt,
    alarms,
    progress,
    lines,
    last,
  }: LogReading,
  status: EndStatus | null,
): Diagnosis {
  const steppedAt = progress.at(-1) ?? Number.NEGATIVE_INFINITY;
  const isWellDone = hasFinished(successAt, failureAt, progress);
  const isAtWork =
    failureAt === 0 &&
    !isLineCutShort(last) &&
    endsLikeBefore(last) &&
    (alarms.all().at(-1) ?? 0) < Math.max(steppedAt, 1) &&
    Math.max(loneExceptionAt, errorAt, tracebackEndAt) <= Math.max(steppedAt, 0) &&
    lines - steppedAt <= QUIET_END_LINES;
  const isWell = status === 'SUCCEEDED' || (status === null && (isWellDone || isAtWork));
  if (!isWell) return UNKNOWN;
  return {
    ...NO_EVIDENCE,
    class: 'benign',
    confidence: isAtWork && status === null && !isWellDone ? 'medium' : 'high',
    response: 'none',
  };
}

const NO_EVIDENCE = { evidence: [], traceback: null } as const;
const UNKNOWN: Diagnosis = { ...NO_EVIDENCE, class: 'unknown', confidence: 'low', response: FIRST_RESPONSE.unknown };

function describeTraceback(raised: Raised): Diagnosis['traceback'] {
  const place = raisingFrame(raised);
  return place === null || place.line === 0
    ? null
    : {
        file: place.file,
        line: place.line,
        message: raised.message === '' ? raised.type : `${raised.type}: ${raised.message}`,
      };
}

const PROMPT = /^(?:\$|[\w.-]{1,40}@[\w.-]{1,60}:\S{0,120}[$#]) \w/;
/** A log that ends soon after a step was truncated during healthy work. */
const QUIET_END_LINES = 10;
/** Lines of evidence from one class; more add nothing. */
const EVIDENCE_MAX = 8;
/** Findings per class, from the start and from the end of the log: logs of a thousand ranks repeat themselves. */
const FINDINGS_MAX = 100;
/** Lines that report a failure, from the start and from the end of the log. */
const ALARMS_MAX = 50;
/** Raw lines that name an exception. */
const RAISED_TEXTS_MAX = 2_000;
/** After this many steps the job has recovered: other ranks may print one or two while one dies. */
const STEPS_AGAIN = 3;
const FINITE_AGAIN = 3;

/** With this many classes in the findings, the first one is as uncertain as the last. */
const CONTESTED_CLASSES = 3;

/** Weak evidence for a machine failure may equally come from people, programs and settings. */
const MACHINE_CLASSES: readonly FailureClass[] = [
  'oom-hbm',
  'oom-host',
  'bad-node',
  'preempted',
  'capacity',
  'network',
  'storage',
  'infra-cluster',
  'stalled',
];

/**
 * Whether the chosen finding is too unreliable to report. `findings`: all that remain. `alarms`: lines that report a failure and match no
 * row. `worksSince`: the line since which the log resembles normal work; 0 if it does not. Measured on 760 log endings not used to write
 * the table: the findings rejected here were wrong nearly as often as right.
 */
function isUncertain(
  chosen: LogFinding,
  findings: readonly LogFinding[],
  { alarms, worksSince }: { readonly alarms: readonly number[]; readonly worksSince: number },
): boolean {
  const { class: kind, weight, confidence, line } = chosen;
  // A job that continued for so long moved to another machine, or kept this one.
  if (kind === 'preempted' && worksSince > line) return true;
  if (MACHINE_CLASSES.includes(kind)) {
    if (confidence === 'low' || weight === 'hint') return true;
    // A lost peer does not show why it was lost.
    if (kind === 'infra-cluster' && weight === 'effect') return true;
  }
  if (confidence === 'high') return false;
  const told = new Set(findings.filter((one) => one.weight !== 'hint').map((one) => one.class));
  return told.size >= CONTESTED_CLASSES || alarms.some((alarm) => alarm < line);
}

function createLastLines(): LastLines {
  return { line: '', isStep: false, step: '', knownPrefixes: new Set(), afterStep: [], prefix: '', samePrefixAt: [] };
}

function createLastReports(): LastReports {
  return {
    successAt: 0,
    failureAt: 0,
    restartedAt: 0,
    reconnectedAt: 0,
    loneExceptionAt: 0,
    errorAt: 0,
    endedRank: null,
  };
}
