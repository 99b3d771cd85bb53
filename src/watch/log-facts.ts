/** Facts from a job's log so far: a fold over its text that reads every line exactly once. */

import { NOISE } from '../diagnosis/choose-finding.ts';
import { type PlainLine, readLogLine } from '../diagnosis/line-prefixes.ts';
import { findRow, matchSignatures } from '../diagnosis/rows.ts';
import { matchTrainerFormat, type TrainerFormat } from '../diagnosis/trainers.ts';
import { findMemoryReport, readTrainingLine, type ShownCount, type TrainingLine } from '../diagnosis/training-line.ts';
import { normalizeAddress } from '../domain/care/machines.ts';
import { LOSS_NOT_FINITE } from '../domain/failure-class.ts';
import { limits } from '../domain/limits.ts';
import type { TrackerRun } from '../domain/logbook/events/job-events.ts';
import { cutText } from '../domain/values.ts';
import { countLines, findSignalWord, searchWith } from './signal-lines.ts';
import { addTrainingLine, goBackInReplay, isLossNotFinite, NO_TRAINING, type Training } from './training.ts';

/** The most workers recorded per signature: the hosts of one large slice, which is one machine. Above that, the origin is uncertain. */
export const FAILURE_WORKERS_MAX = 64;

/** One matched signature. `line`: the first match, up to `limits.logLineCharsMax`. Redact the line before you truncate it. */
export type SignatureMatch = {
  readonly id: string;
  readonly line: string;
  readonly lastLineNumber: number;
  /** Addresses of the workers that printed matches; `several` if Ray merged lines of more workers. */
  readonly workers: readonly string[];
};

/** The worker at the head of the latest traceback of a Ray task, and that line's number. */
type TaskOrigin = { readonly worker: string; readonly lineNumber: number };

type SignatureMatches = {
  readonly lines: number;
  readonly origin: TaskOrigin | null;
  readonly failures: readonly SignatureMatch[];
};

/** Adds the signatures that one line matches. `shown`: the raw line of the log; `lines` is its number. */
function matchFailures<Facts extends SignatureMatches>(facts: Facts, line: PlainLine, shown: string): Facts {
  const task = line.text.includes('RayTaskError(') ? workerAddress(shown) : null;
  const known = task === null ? facts : { ...facts, origin: { worker: task, lineNumber: facts.lines } };
  return matchSignatures(line).reduce((all, { signature }) => addFailure(all, signature, shown), known);
}

/** Adds a match of one signature on a line, from the worker on that line or from the open traceback. */
export function addFailure<Facts extends SignatureMatches>(facts: Facts, id: string, line: string): Facts {
  const worker = workerAddress(line) ?? findOrigin(facts);
  const seen = facts.failures.find((known) => known.id === id) ?? { id, line, workers: [] };
  const match = { ...seen, lastLineNumber: facts.lines, workers: addWorker(seen.workers, worker) };
  const isKnown = facts.failures.some((known) => known.id === id);
  const failures = isKnown
    ? facts.failures.map((known) => (known.id === id ? match : known))
    : [...facts.failures, match];
  return { ...facts, failures };
}

/** A failure inside a traceback comes from the task at its head. */
function findOrigin({ origin, lines }: SignatureMatches): string | null {
  return origin !== null && lines - origin.lineNumber <= limits.tracebackLinesMax ? origin.worker : null;
}

/** Beyond the limit, `several` represents the other workers. */
function addWorker(known: readonly string[], worker: string | null): readonly string[] {
  if (worker === null || known.includes(worker) || known.includes(SEVERAL)) return known;
  return known.length < FAILURE_WORKERS_MAX
    ? [...known, worker]
    : [...known.slice(0, FAILURE_WORKERS_MAX - 1), SEVERAL];
}

const SEVERAL = 'several';

// `(Train pid=42, ip=10.130.1.45) …` before a line; `ray::train() (pid=42, ip=10.130.1.45, actor_id=…)` at the head of a traceback.
const PLACE = /\((?:[^()]{0,200} )?pid=\d{1,10}, ip=([0-9A-Fa-f:.]{2,45})(?=[,)])/;
// `[repeated 3x across cluster]` (Ray's log deduplication, python/ray/_private/ray_logging).
const REPEATED = /\[repeated \d+x across (?:the )?cluster\]/;

/** The worker's address on a line, or null. `several` if Ray merged the same line of more workers. */
export function workerAddress(line: string): string | null {
  const written = PLACE.exec(line)?.[1];
  const address = written === undefined ? null : normalizeAddress(written);
  return address !== null && REPEATED.test(line) ? SEVERAL : address;
}

/** The most tracker links per log: one per launch, and a few that were only mentioned. */
const LOG_TRACKERS_MAX = 20;
/** The most eval keys per log: Paloma has a few dozen sets with two values each. */
const LOG_EVAL_KEYS_MAX = 500;

/** State and result in one: pass it back with the next chunk. It is plain data, so it can be stored. */
export type LogFacts = {
  /** The unfinished last line; it is read with its newline, or by `finishLog`. */
  readonly carry: string;
  /** Whether the reader is skipping the rest of an overlong line. */
  readonly skipping: boolean;
  readonly lines: number;
  /** The last shown step, with the log's precision, see `ShownCount`. */
  readonly step: ShownCount | null;
  /** From the bar's first line, the only exact source; it never changes afterwards. */
  readonly exactTotal: number | null;
  readonly loss: string | null;
  /** The speed, and the trend of each measure. */
  readonly training: Training;
  /** Whether the first step completed: the only evidence that the job fits in memory. */
  readonly firstStepCompleted: boolean;
  readonly evalRunning: boolean;
  /** The latest values of `eval/…` keys, as printed; `eval/loss` is the loss of any trainer's evaluation. */
  readonly evals: Readonly<Record<string, string>>;
  /** Whether this part of the log has the result of an evaluation. */
  readonly isEvaluated: boolean;
  /** Whether this part of the log tells of a preemption. */
  readonly isPreempted: boolean;
  /** Runs from tracker links in the log. */
  readonly trackers: readonly TrackerRun[];
  /** The step of the newest checkpoint with a commit line. */
  readonly checkpointStep: number | null;
  readonly checkpointPath: string | null;
  /** Whether a checkpoint is being written: its commit line is missing. */
  readonly isSaving: boolean;
  /** The path of the checkpoint that the run resumed. */
  readonly resumedFrom: string | null;
  readonly failures: readonly SignatureMatch[];
  readonly origin: TaskOrigin | null;
};

export const NO_LOG_FACTS: LogFacts = {
  carry: '',
  skipping: false,
  lines: 0,
  step: null,
  exactTotal: null,
  loss: null,
  training: NO_TRAINING,
  firstStepCompleted: false,
  evalRunning: false,
  evals: {},
  isEvaluated: false,
  isPreempted: false,
  trackers: [],
  checkpointStep: null,
  checkpointPath: null,
  isSaving: false,
  resumedFrom: null,
  failures: [],
  origin: null,
};

/**
 * Reads the next chunk of a log: UTF-8 that ends with a complete character. The result does not depend on the chunk boundaries. No chunk is
 * read twice, so errors of hours ago do not return (the trap of grep-before-tail). Only lines that can contain facts are decoded to text.
 */
export function readLogBytes(before: LogFacts, read: Uint8Array, own: TrainerFormat | null = null): LogFacts {
  const piece = normalizeLineEnds(read);
  const facts = readAfterReturn(before, piece, own);
  const firstEnd = piece.indexOf(NEWLINE);
  if (firstEnd === -1) return facts.skipping ? facts : keepCarry(facts, facts.carry + textOf(piece), own);
  // Join the line that the chunk boundary split; read the other lines in place.
  const first = { ...facts, carry: '', skipping: false };
  const opened = facts.skipping ? first : readLine(first, facts.carry + textOf(piece.subarray(0, firstEnd)), own);
  const end = piece.lastIndexOf(NEWLINE) + 1;
  const whole = readLines(opened, piece.subarray(0, end), firstEnd + 1, own);
  return keepCarry(whole, textOf(piece.subarray(end)), own);
}

const NEWLINE = 10;
const RETURN = 13;

/** A terminal overwrites its progress bar, so a carriage return ends a line too. */
function normalizeLineEnds(piece: Uint8Array): Uint8Array {
  let at = piece.indexOf(RETURN);
  if (at === -1) return piece;
  const bytes = Uint8Array.from(piece);
  for (; at !== -1 && at < bytes.length - 1; at = bytes.indexOf(RETURN, at + 1))
    if (bytes[at + 1] !== NEWLINE) bytes[at] = NEWLINE;
  return bytes;
}

/** Only the next chunk shows whether a carriage return at the end of a chunk ends the line. */
function readAfterReturn(facts: LogFacts, piece: Uint8Array, own: TrainerFormat | null): LogFacts {
  const isLineEnd = facts.carry.endsWith('\r') && piece.length > 0 && piece[0] !== NEWLINE;
  return isLineEnd ? readLine({ ...facts, carry: '' }, facts.carry, own) : facts;
}

// Keep a byte order mark as a character, so that the same bytes give the same text for any chunk boundaries.
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

/** Keeps the unfinished last line, or reads it if it is longer than any real one. */
function keepCarry(facts: LogFacts, carry: string, own: TrainerFormat | null): LogFacts {
  if (carry.length <= limits.logLineCharsMax) return { ...facts, carry };
  return { ...readLine({ ...facts, carry: '' }, carry, own), skipping: true };
}

/** Reads whole lines from `begin`, where a newline precedes it. Lines without a telling word are only counted. */
function readLines(facts: LogFacts, bytes: Uint8Array, begin: number, own: TrainerFormat | null): LogFacts {
  const end = bytes.length;
  const search = searchWith(own);
  let next = facts;
  for (let from = begin; from < end; ) {
    const at = findSignalWord(bytes, from - 1, end, search);
    const start = at === -1 ? end : Math.max(from, bytes.lastIndexOf(NEWLINE, at + 1) + 1);
    next = { ...next, lines: next.lines + countLines(bytes, from, start) };
    if (at === -1) return next;
    const lineEnd = bytes.indexOf(NEWLINE, start);
    next = readLine(next, textOf(bytes.subarray(start, lineEnd)), own);
    from = lineEnd + 1;
  }
  return next;
}

/** Reads the last line of a log that ended without a newline. */
export function finishLog(facts: LogFacts, own: TrainerFormat | null = null): LogFacts {
  return facts.carry === '' ? facts : readLine({ ...facts, carry: '' }, facts.carry, own);
}

function readLine(facts: LogFacts, raw: string, own: TrainerFormat | null): LogFacts {
  const shown = cutText(raw, limits.logLineCharsMax).replace(/\r$/, '');
  const counted = { ...facts, lines: facts.lines + 1 };
  return readLogLine(shown).reduce((known, line) => addLogLine(known, line, shown, own), counted);
}

function addLogLine(facts: LogFacts, line: PlainLine, shown: string, own: TrainerFormat | null): LogFacts {
  const { text } = line;
  if (NOISE.test(text)) return facts;
  const matched = matchFailures(facts, line, shown);
  const training = readTrainingLine(line.whole, own);
  if (training?.work === 'eval')
    return addPlainLine(EVAL_KEY.test(text) ? matched : readEval(matched, training), text, own);
  const isOther = training === null || training.work === 'other';
  return addPlainLine(isOther ? addMemory(matched, text) : addTraining(matched, training, shown), text, own);
}

/** Memory reports of any program between the training lines. */
function addMemory(facts: LogFacts, line: string): LogFacts {
  const memory = findMemoryReport(line);
  if (memory === null) return facts;
  const { training } = facts;
  return { ...facts, training: { ...training, latest: { ...training.latest, memory } } };
}

/** If the trainer prints no line for its first step, the first loss shows that the step completed. */
function addTraining(facts: LogFacts, line: TrainingLine, text: string): LogFacts {
  const { exactTotal } = facts;
  if (line.work === 'unnamed' && exactTotal !== null && line.total?.value !== exactTotal) return facts;
  const known = withEvalLoss(applyTraining(facts, line), line);
  // Some trainers print a NaN loss before the first step.
  if (line.step?.value === 0) return known;
  const isBroken = isLossNotFinite(line, known.training);
  const isSeen = facts.failures.some((one) => one.id === LOSS_NOT_FINITE && one.lastLineNumber === facts.lines);
  return {
    ...(isBroken && !isSeen ? addFailure(known, LOSS_NOT_FINITE, text) : known),
    firstStepCompleted: facts.firstStepCompleted || (line.measures.loss !== undefined && !isBroken),
  };
}

function applyTraining(facts: LogFacts, line: TrainingLine): LogFacts {
  const { step, total, measures } = line;
  const moved = step !== null ? step.value !== facts.step?.value : measures.loss !== undefined;
  // A record of several lines names its step in the first one.
  const at = step ?? (facts.step?.exact === true ? facts.step : null);
  return {
    ...facts,
    training: addTrainingLine(facts.training, line, moved ? facts.lines : null, at),
    step: step ?? facts.step,
    loss: measures.loss ?? facts.loss,
    // rules HR-48, ML-15
    exactTotal: facts.exactTotal ?? (total?.exact === true ? total.value : null),
  };
}

/** Levanter's eval starts with a bar without steps and ends when its bar is full. Other trainers print the result. */
function readEval(facts: LogFacts, line: TrainingLine): LogFacts {
  const { step, total, evalLoss } = line;
  if (evalLoss !== null)
    return withEvalLoss(step === null ? facts : applyTraining(facts, { ...line, work: 'training' }), line);
  if (step === null) return { ...facts, evalRunning: true };
  return step.value === total?.value ? { ...facts, evalRunning: false, isEvaluated: true } : facts;
}

/** Some trainers repeat the newest result in each training line. */
function withEvalLoss(facts: LogFacts, { work, evalLoss }: TrainingLine): LogFacts {
  if (evalLoss === null) return facts;
  const isNew = work === 'eval' || facts.evals[EVAL_LOSS] !== evalLoss;
  return { ...addEvals(facts, [[EVAL_LOSS, evalLoss]]), isEvaluated: facts.isEvaluated || isNew };
}

const EVAL_LOSS = 'eval/loss';

// Entity and project may contain anything but a slash or a space; the emoji before the link may be mojibake.
const TRACKER_LINK = /https:\/\/wandb\.ai\/[^/\s]{1,128}\/[^/\s]{1,128}\/runs\/([\w-]{1,128})(?![\w-])/;
// More digits are no step, and exceed what a number stores exactly.
const STEP_DIGITS_MAX = 15;
const EVAL_KEY = /(?<![\w./-])eval\/\w/i;
const EVAL_VALUE =
  /(?<![\w./-])(eval\/[\w./-]{1,120}?)[=:] ?([+-]?(?:\d{1,40}(?:\.\d{1,40})?(?:e[+-]?\d{1,4})?|nan|inf))(?!\w|\.\d)/gi;

function addPlainLine(facts: LogFacts, line: string, own: TrainerFormat | null): LogFacts {
  let next = /preempt/i.test(line) && findRow(line)?.class === 'preempted' ? { ...facts, isPreempted: true } : facts;
  const steps = matchTrainerFormat('totalSteps', line)?.[1];
  if (steps !== undefined) next = { ...next, exactTotal: facts.exactTotal ?? Number(steps.replaceAll(',', '')) };
  if (matchTrainerFormat('firstStep', line) !== null) next = { ...next, firstStepCompleted: true };
  const link = TRACKER_LINK.exec(line);
  if (link !== null) next = addTracker(next, link);
  const saved = matchTrainerFormat('saveEnd', line, own);
  const at = saved?.groups?.['step'] ?? facts.step?.value ?? null;
  if (saved !== null && at !== null && String(at).length <= STEP_DIGITS_MAX)
    next = { ...next, checkpointPath: saved.groups?.['path'] ?? null, checkpointStep: Number(at), isSaving: false };
  else if (matchTrainerFormat('saveStart', line, own) !== null) next = { ...next, isSaving: true };
  const resumed = matchTrainerFormat('resumedFrom', line)?.[1];
  if (resumed !== undefined) {
    const replay = goBackInReplay(next.training.replay, next.training.series.loss);
    next = { ...next, resumedFrom: resumed, training: { ...next.training, replay } };
  }
  const values = [...line.matchAll(EVAL_VALUE)].map((match) => [match[1] ?? '', match[2] ?? ''] as const);
  return values.length === 0 ? next : { ...addEvals(next, values), isEvaluated: true };
}

function addTracker(facts: LogFacts, [url, id = '']: RegExpExecArray): LogFacts {
  // rule ML-13
  const isKnown = facts.trackers.some((known) => known.url === url);
  if (isKnown || facts.trackers.length >= LOG_TRACKERS_MAX) return facts;
  return { ...facts, trackers: [...facts.trackers, { id, url }] };
}

function addEvals(facts: LogFacts, values: readonly (readonly [string, string])[]): LogFacts {
  const evals = Object.fromEntries([...Object.entries(facts.evals), ...values]);
  return Object.keys(evals).length > LOG_EVAL_KEYS_MAX ? facts : { ...facts, evals };
}
