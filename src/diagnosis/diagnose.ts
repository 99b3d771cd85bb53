/** What a job died of, by its log: the first cause rather than the loudest line, and `unknown` rather than a guess. */

import {
  type Confidence,
  type FailureClass,
  FIRST_RESPONSE,
  type FirstResponse,
} from '../domain/failure-class.ts';
import { limits } from '../domain/limits.ts';
import { cutText } from '../domain/values.ts';
import {
  ALWAYS_SAID_SOFTLY,
  chooseFrom,
  type Finding,
  HANDLED,
  isAlarm,
  isCutShort,
  isOvershadowed,
  isUsualEnd,
  type LastLines,
  type LastSaid,
  LOOKS_ON,
  NOISE,
  newLastLines,
  newLastSaid,
  noteLine,
  noteRhythm,
  noteSaid,
  RETRIES,
  worksSince,
} from './choose-finding.ts';
import { isOfMain, judgeTraceback, placeOf } from './exception-class.ts';
import type { Row } from './row.ts';
import { bareRowFor, rowFor } from './rows.ts';
import {
  createEnds,
  createTracebackReader,
  type Ends,
  type Raised,
  type Traceback,
  type TracebackReader,
} from './traceback.ts';
import { readTrainingLine, type TrainingLine } from './trainers.ts';
import { type Level, type PlainLine, plainLines } from './unprefixed.ts';

/** A line of the log, from 1, as it stands there up to `limits.logLineCharsMax`: scrub it, then cut it. */
export type Evidence = { readonly line: number; readonly text: string };

export type Diagnosis = {
  readonly class: FailureClass;
  readonly confidence: Confidence;
  readonly evidence: readonly Evidence[];
  readonly response: FirstResponse;
  /** The exception that tells, at the innermost place in the lab's own code. */
  readonly traceback: { readonly file: string; readonly line: number; readonly message: string } | null;
};

/** How the job ended, where somebody knows it better than its log. */
export type EndStatus = 'SUCCEEDED' | 'FAILED' | 'STOPPED';

export type LogDiagnosis = {
  /** The next line, without its newline. */
  readonly read: (line: string) => void;
  /** After the last line; `status` null: nobody knows how the job ended. */
  readonly conclude: (status: EndStatus | null) => Diagnosis;
};

/** Reads a log line by line, in bounded memory. */
export function createDiagnosis(): LogDiagnosis {
  const reading = newReading();
  return {
    read: (line) => readLine(reading, line),
    conclude: (status) => conclude(reading, status),
  };
}

/** Of a log that is at hand as a whole. */
export function diagnose(lines: Iterable<string>, status: EndStatus | null): Diagnosis {
  const { read, conclude: end } = createDiagnosis();
  for (const line of lines) read(line);
  return end(status);
}

/** What was read so far. */
type Reading = {
  readonly tracebacks: TracebackReader;
  /** By class, so that what many say leaves room for what one does. */
  readonly findings: Map<FailureClass, Ends<Finding>>;
  /** Lines that a traceback holds: the one that names the exception is evidence. */
  readonly raisedTexts: Map<number, string>;
  /** The last few lines that show a step, and those of them whose loss is a number. */
  progress: number[];
  finite: number[];
  readonly said: LastSaid;
  /** The last line in which a person asks a shell for more; 0 for none. */
  askedAt: number;
  /** The last name of an exception in no traceback that no row knows; 0 for none. */
  unreadAt: number;
  /** The last line of a traceback; a log may have been cut in the middle of one. */
  tracedAt: number;
  /** Lines that tell of a failure and that no row knows. */
  readonly alarms: Ends<number>;
  readonly last: LastLines;
  lines: number;
};

function newReading(): Reading {
  return {
    tracebacks: createTracebackReader(),
    findings: new Map(),
    raisedTexts: new Map(),
    progress: [],
    finite: [],
    said: newLastSaid(),
    askedAt: 0,
    unreadAt: 0,
    tracedAt: 0,
    alarms: createEnds<number>(ALARMS_MAX),
    last: newLastLines(),
    lines: 0,
  };
}

function readLine(reading: Reading, whole: string): void {
  reading.lines += 1;
  const shown = cutText(whole, limits.logLineCharsMax);
  for (const one of plainLines(whole.length > JSON_CHARS_MAX ? shown : whole))
    readPlain(reading, { ...one, text: cutText(one.text, limits.logLineCharsMax) }, shown);
}

function readPlain(reading: Reading, { text, level, stream }: PlainLine, shown: string): void {
  const line = reading.lines;
  if (reading.tracebacks.take({ text, level, stream }, line)) {
    reading.tracedAt = line;
    if (/^\s*[A-Z_a-z][\w.]*(?:\(|:|$)/.test(text) && reading.raisedTexts.size < RAISED_TEXTS_MAX)
      reading.raisedTexts.set(line, shown);
    return;
  }
  // What somebody looks up afterwards was printed before.
  if (PROMPT.test(text)) Object.assign(reading, { askedAt: line, progress: [], finite: [] });
  const training = readTrainingLine(text);
  const isStep =
    training !== null && (training.step !== null || training.work !== 'training' || COUNTS.test(text));
  const isSound = isStep && hasFiniteLoss(training);
  noteLine(reading.last, { text, isStep, isSoft: level === 'quiet' || level === 'warning' });
  if (isStep) keepLast(reading.progress, line, STEPS_AGAIN);
  if (isSound) keepLast(reading.finite, line, FINITE_AGAIN);
  if (isSound || NOISE.test(text)) return;
  noteSaid(reading.said, text, level, line);
  // The place in the program that a logger names may be all that tells.
  const row = rowFor(text) ?? (level === 'error' ? rowFor(shown.trim()) : null) ?? bareRowFor(text);
  if (row === null && reading.said.strayAt === line) reading.unreadAt = line;
  if (row === null && isAlarm(text, level)) reading.alarms.add(line);
  else if (row === null) noteRhythm(reading.last, text, line);
  const weight = row === null ? null : weightOf(row, level, text);
  if (row === null || weight === null) return;
  const { class: kind, confidence } = row;
  const alike = reading.findings.get(kind) ?? createEnds<Finding>(FINDINGS_MAX);
  reading.findings.set(kind, alike);
  alike.add({ class: kind, confidence, weight, line, text: shown, raised: null });
}

/** Epochs, or so many of so many, whatever they are called. */
const COUNTS = /Progress on:\w|\bepoch\W{0,4}\d|(?<![\w./-])\d{1,9} {0,3}\/ {0,3}\d{1,9}(?![\w./-])/i;

/** A loss of nothing beside a gradient that is no number is no finite one. */
function hasFiniteLoss({ measures: { loss = '', 'grad-norm': gradient = '' } }: TrainingLine): boolean {
  return /\d/.test(loss) && !/nan/i.test(gradient);
}

function keepLast(kept: number[], line: number, count: number): void {
  kept.push(line);
  if (kept.length > count) kept.shift();
}

function conclude(reading: Reading, status: EndStatus | null): Diagnosis {
  const { raisedTexts, tracebacks } = reading;
  const raisedBy = tracebacks.found().flatMap((one) => foundIn(one, raisedTexts) ?? []);
  const said = [...reading.findings.values()].flatMap((alike) => alike.all());
  const all = [...said, ...raisedBy].toSorted((a, b) => a.line - b.line);
  const findings = standing(all, reading, status);
  const chosen = chooseFrom(findings);
  const alarms = reading.alarms.all().filter((line) => !isPassed(reading.progress, STEPS_AGAIN, line));
  if (chosen !== null && isOvershadowed(chosen, findings, alarms)) return UNKNOWN;
  // An exception that could not be read may be the cause of what the others say.
  if (chosen?.weight === 'effect' && reading.said.strayAt > 0) return UNKNOWN;
  if (chosen?.weight === 'hint' && reading.unreadAt > 0) return UNKNOWN;
  if (chosen === null) return withoutFinding(reading, status);
  const alike = findings.filter((one) => one.class === chosen.class).slice(0, EVIDENCE_MAX);
  const raised = chosen.raised ?? raisedBy[0]?.raised ?? null;
  // A guess is not told, and what it rests on is.
  const kind = isGuess(chosen, findings, { alarms, worksSince: worksSince(reading.last) })
    ? 'unknown'
    : chosen.class;
  return {
    class: kind,
    confidence: kind === 'unknown' ? 'low' : chosen.confidence,
    evidence: alike.map(({ line, text }) => ({ line, text })),
    response: FIRST_RESPONSE[kind],
    traceback: raised === null ? null : tracebackOf(raised),
  };
}

function foundIn(traceback: Traceback, texts: ReadonlyMap<number, string>): Finding | null {
  const judged = judgeTraceback(traceback);
  if (judged === null) return null;
  const { raised, class: kind, weight, confidence } = judged;
  const line = raised.lineNumber;
  const text = texts.get(line) ?? `${raised.type}: ${raised.message}`;
  return { class: kind, weight, confidence, raised, line, text };
}

/** What a logger calls a warning is evidence only where that is how it is told; what is tried again is little. */
function weightOf(row: Row, level: Level | null, text: string): Row['weight'] | null {
  if (row.class === 'nan' && HANDLED.test(text)) return null;
  const isSoft = row.class === 'stalled' ? LOOKS_ON.test(text) : ALWAYS_SAID_SOFTLY.includes(row.class);
  if (isSoft) return row.weight;
  // Ray tells of a node that died as a warning.
  if (level === 'warning' && row.weight === 'cause' && row.class === 'infra-cluster') return 'hint';
  if (level === 'quiet' || level === 'warning') return null;
  return RETRIES.test(text) ? 'hint' : row.weight;
}

/** Without what the job got over: training went on after it, or the job came to its end. */
function standing(
  findings: readonly Finding[],
  { progress, finite, askedAt, said: { successAt, failureAt, restartedAt, overcomeAt } }: Reading,
  status: EndStatus | null,
): readonly Finding[] {
  if (status === 'SUCCEEDED') return [];
  const isOver = status === null && isDone(successAt, failureAt, progress);
  // What a new start met again, or anew, is what it died of.
  const since = findings.some(({ line, weight }) => line > restartedAt && weight === 'cause')
    ? restartedAt
    : 0;
  // A step is enough behind what is only tried again, as long as nothing has failed since.
  const wellAt = failureAt > (progress.at(-1) ?? 0) ? 0 : (progress.at(-1) ?? 0);
  return findings.filter(({ line, class: kind, weight, raised }) => {
    if (line <= since) return false;
    if (line < askedAt) return true;
    if (kind === 'network' && line <= overcomeAt) return false;
    if (isOver && line < successAt && kind !== 'nan') return false;
    // Steps go on after a notice until the machine is gone.
    if (kind === 'preempted' && wellAt === 0) return true;
    if (isOver && line > successAt) return raised !== null && isOfMain(raised);
    if (weight === 'hint' && kind !== 'nan' && line < wellAt) return false;
    return kind === 'nan' ? !isPassed(finite, FINITE_AGAIN, line) : !isPassed(progress, STEPS_AGAIN, line);
  });
}

/** A bar may be drawn once more when all is over. */
function isDone(successAt: number, failureAt: number, progress: readonly number[]): boolean {
  return successAt > Math.max(failureAt, progress.at(-2) ?? 0, 0);
}

function isPassed(last: readonly number[], count: number, line: number): boolean {
  return last.length >= count && (last[0] ?? 0) > line;
}

function withoutFinding(
  { said: { successAt, failureAt, strayAt, errorAt }, tracedAt, alarms, progress, lines, last }: Reading,
  status: EndStatus | null,
): Diagnosis {
  const steppedAt = progress.at(-1) ?? Number.NEGATIVE_INFINITY;
  const isWellDone = isDone(successAt, failureAt, progress);
  const isAtWork =
    failureAt === 0 &&
    !isCutShort(last) &&
    isUsualEnd(last) &&
    (alarms.all().at(-1) ?? 0) < Math.max(steppedAt, 1) &&
    Math.max(strayAt, errorAt, tracedAt) <= Math.max(steppedAt, 0) &&
    lines - steppedAt <= QUIET_END_LINES;
  const isWell = status === 'SUCCEEDED' || (status === null && (isWellDone || isAtWork));
  if (!isWell) return UNKNOWN;
  return {
    ...NOTHING_TOLD,
    class: 'benign',
    confidence: isAtWork && status === null && !isWellDone ? 'medium' : 'high',
    response: 'none',
  };
}

const NOTHING_TOLD = { evidence: [], traceback: null } as const;
const UNKNOWN: Diagnosis = {
  ...NOTHING_TOLD,
  class: 'unknown',
  confidence: 'low',
  response: FIRST_RESPONSE.unknown,
};

function tracebackOf(raised: Raised): Diagnosis['traceback'] {
  const place = placeOf(raised);
  return place === null || place.line === 0
    ? null
    : {
        file: place.file,
        line: place.line,
        message: raised.message === '' ? raised.type : `${raised.type}: ${raised.message}`,
      };
}

/** A record with the traceback of a whole process. */
const JSON_CHARS_MAX = 100_000;
/** Of a shell, with what it is asked for. */
const PROMPT = /^(?:\$|[\w.-]{1,40}@[\w.-]{1,60}:\S{0,120}[$#]) \w/;
/** A log that ends soon behind a step ends in the middle of healthy work. */
const QUIET_END_LINES = 10;
/** Of one class; more say the same. */
const EVIDENCE_MAX = 8;
/** Of one class, from the beginning and from the end: a log of a thousand ranks repeats itself. */
const FINDINGS_MAX = 100;
/** Lines that tell of a failure, from the beginning and from the end. */
const ALARMS_MAX = 50;
/** Lines that name an exception, kept as they stand. */
const RAISED_TEXTS_MAX = 2_000;
/** So many steps after a message, and the job got over it: other ranks may print one or two while it dies. */
const STEPS_AGAIN = 3;
const FINITE_AGAIN = 3;

/** So many classes, each with a line of its own: what came first may be as little the cause as what came last. */
const CONTESTED_CLASSES = 3;

/** What little a log says of machines is said of people, programs and settings too. */
const OF_MACHINES: readonly FailureClass[] = [
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
 * Whether nobody should rely on the chosen finding. `findings` are all that stand, `alarms` the lines that tell of a failure
 * which no row knows, `worksSince` the line since which the log looks like work (0: it does not). Measured on 760 endings that
 * nobody had seen when the table was written: what is refused here was wrong nearly as often as right.
 */
function isGuess(
  chosen: Finding,
  findings: readonly Finding[],
  { alarms, worksSince }: { readonly alarms: readonly number[]; readonly worksSince: number },
): boolean {
  const { class: kind, weight, confidence, line } = chosen;
  // Whoever went on for so long had another machine, or kept this one.
  if (kind === 'preempted' && worksSince > line) return true;
  if (OF_MACHINES.includes(kind)) {
    if (confidence === 'low' || weight === 'hint') return true;
    // That somebody else is gone says nothing of why.
    if (kind === 'infra-cluster' && weight === 'effect') return true;
  }
  if (confidence === 'high') return false;
  const told = new Set(findings.filter((one) => one.weight !== 'hint').map((one) => one.class));
  return told.size >= CONTESTED_CLASSES || alarms.some((alarm) => alarm < line);
}
