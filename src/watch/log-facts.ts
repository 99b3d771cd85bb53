/** Facts from a job's log so far: a fold over its text that reads every line exactly once. */

import { SIGNATURES } from '../diagnosis/rows.ts';
import {
  memoryReportIn,
  readTrainingLine,
  type ShownCount,
  TRAINERS,
  type TrainingLine,
  trainerSays,
} from '../diagnosis/trainers.ts';
import { canonicalAddress } from '../domain/care/machines.ts';
import { LOSS_NOT_FINITE } from '../domain/failure-class.ts';
import { limits } from '../domain/limits.ts';
import type { TrackerRun } from '../domain/logbook/events/job-events.ts';
import { cutText } from '../domain/values.ts';
import { addTrainingLine, goneBack, isNotFinite, NO_TRAINING, type Training } from './training.ts';

/** The most workers recorded per signature: the hosts of one large slice, which is one machine. Above that, the origin is uncertain. */
export const FAILURE_WORKERS_MAX = 64;

/** One matched signature. `line`: the first match, up to `limits.logLineCharsMax`. Redact the line before you truncate it. */
export type SignatureMatch = {
  readonly id: string;
  readonly line: string;
  /** The number of the newest match. */
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

/** Adds the signatures that one line matches; `lines` is the line's number. */
function readFailure<Facts extends SignatureMatches>(facts: Facts, line: string): Facts {
  const task = line.includes('RayTaskError(') ? workerAddress(line) : null;
  const known = task === null ? facts : { ...facts, origin: { worker: task, lineNumber: facts.lines } };
  const found = SIGNATURES.filter(({ pattern }) => pattern.test(line));
  return found.reduce((all, { signature }) => withFailure(all, signature, line), known);
}

/** Adds a match of one signature on a line, from the worker on that line or from the open traceback. */
export function withFailure<Facts extends SignatureMatches>(facts: Facts, id: string, line: string): Facts {
  const worker = workerAddress(line) ?? originOf(facts);
  const seen = facts.failures.find((known) => known.id === id) ?? { id, line, workers: [] };
  const match = { ...seen, lastLineNumber: facts.lines, workers: joined(seen.workers, worker) };
  const isKnown = facts.failures.some((known) => known.id === id);
  const failures = isKnown
    ? facts.failures.map((known) => (known.id === id ? match : known))
    : [...facts.failures, match];
  return { ...facts, failures };
}

/** A failure inside a traceback comes from the task at its head. */
function originOf({ origin, lines }: SignatureMatches): string | null {
  return origin !== null && lines - origin.lineNumber <= limits.tracebackLinesMax ? origin.worker : null;
}

/** Beyond the limit, `several` represents the other workers. */
function joined(known: readonly string[], worker: string | null): readonly string[] {
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
  const address = written === undefined ? null : canonicalAddress(written);
  return address !== null && REPEATED.test(line) ? SEVERAL : address;
}

/**
 * Every line that the log reader or a signature uses contains one of these words or of a trainer's, in any case. All are ASCII with at
 * least four characters; a newline may only be first or last.
 */
const TELLING_WORDS: readonly string[] = [
  // Failures.
  ...['memory space ', 'VmemOom', 'HbmOom', 'hbm requirement ', 'allocations in hbm', 'RESOURCE_EXHAUSTED:'],
  ...['out of memory', 'CUDA_ERROR_', 'OutOfMemoryError: ', 'No accelerator found', 'cleanup driver after'],
  ...['resource busy', 'Xid 14', 'No space left on', 'OwnerDiedError', 'dead node', 'node heartbeat loss'],
  ...['marked dead because', 'Barrier timed out', 'CoordinationService', 'Fatal Python error', '\nF20'],
  ...['bad_alloc', 'length_error: ', 'No API key configured', 'No progress after ', 'autoscaler demand'],
  ...['tier_blocked:', "slice couldn't schedule", "Quota '", 'Error: ', 'RayTaskError('],
  // Steps, losses, memory, trackers, evals.
  ...['Progress on:', 'loss', 'it/s]', 'it/s,', 's/it]', 's/it,', 'batch=', 'step=', 'iter=', ', skipped='],
  ...['grad_norm', 'grad norm', 'train step completed', 'https://wandb.ai/', 'eval/'],
  ...TRAINERS.flatMap(({ words }) => words),
];

const LINE_FEED = 10;
/** This bit maps capitals to small letters. It also makes a few other characters equal, which only costs time. */
const FOLD = 0x20;
const REACH = Math.min(...TELLING_WORDS.map(({ length }) => length));

const WORDS = TELLING_WORDS.map((word) => Uint8Array.from(word, (sign) => sign.charCodeAt(0) | FOLD));
/** For each pair of adjacent bytes: how far the search may skip, and the words with this pair at the end of their first `REACH` bytes. */
const [JUMPS, ENDING] = tables();

function tables(): readonly [Uint8Array, ReadonlyMap<number, readonly Uint8Array[]>] {
  const jumps = new Uint8Array(0x10000).fill(REACH - 1);
  for (const word of WORDS)
    for (let end = 1; end < REACH; end += 1) {
      const pair = pairAt(word, end);
      jumps[pair] = Math.min(jumps[pair] ?? 0, REACH - 1 - end);
    }
  return [jumps, Map.groupBy(WORDS, (word) => pairAt(word, REACH - 1))];
}

function pairAt(bytes: Uint8Array, end: number): number {
  return (((bytes[end - 1] ?? 0) | FOLD) << 8) | (bytes[end] ?? 0) | FOLD;
}

/**
 * The index of the first telling word in [from, end); -1 for none (Wu and Manber, *A fast algorithm for multi-pattern searching*, 1994). A
 * word with its newline before `from` counts from that newline.
 */
export function findTellingWord(bytes: Uint8Array, from: number, end: number): number {
  let at = from + REACH - 1;
  while (at < end) {
    const pair = (((bytes[at - 1] ?? 0) | FOLD) << 8) | (bytes[at] ?? 0) | FOLD;
    const jump = JUMPS[pair] ?? 1;
    if (jump > 0) {
      at += jump;
      continue;
    }
    for (const word of ENDING.get(pair) ?? []) if (isAt(bytes, at - REACH + 1, word)) return at - REACH + 1;
    at += 1;
  }
  return -1;
}

function isAt(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (((bytes[start + index] ?? 0) | FOLD) !== word[index]) return false;
  return true;
}

/** The number of newlines in [from, end). */
function countLines(bytes: Uint8Array, from: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < end; at = bytes.indexOf(LINE_FEED, at + 1))
    count += 1;
  return count;
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
  /** The latest values of `eval/…` keys, as printed. */
  readonly evals: Readonly<Record<string, string>>;
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
export function readLogBytes(before: LogFacts, read: Uint8Array): LogFacts {
  const piece = withLineEnds(read);
  const facts = afterReturn(before, piece);
  const firstEnd = piece.indexOf(NEWLINE);
  if (firstEnd === -1) return facts.skipping ? facts : carryOn(facts, facts.carry + textOf(piece));
  // Join the line that the chunk boundary split; read the other lines in place.
  const first = { ...facts, carry: '', skipping: false };
  const opened = facts.skipping ? first : readLine(first, facts.carry + textOf(piece.subarray(0, firstEnd)));
  const end = piece.lastIndexOf(NEWLINE) + 1;
  return carryOn(readLines(opened, piece, firstEnd + 1, end), textOf(piece.subarray(end)));
}

const NEWLINE = 10;
const RETURN = 13;

/** A terminal overwrites its progress bar, so a carriage return ends a line too. */
function withLineEnds(piece: Uint8Array): Uint8Array {
  let at = piece.indexOf(RETURN);
  if (at === -1) return piece;
  const bytes = Uint8Array.from(piece);
  for (; at !== -1 && at < bytes.length - 1; at = bytes.indexOf(RETURN, at + 1))
    if (bytes[at + 1] !== NEWLINE) bytes[at] = NEWLINE;
  return bytes;
}

/** Only the next chunk shows whether a carriage return at the end of a chunk ends the line. */
function afterReturn(facts: LogFacts, piece: Uint8Array): LogFacts {
  const isLineEnd = facts.carry.endsWith('\r') && piece.length > 0 && piece[0] !== NEWLINE;
  return isLineEnd ? readLine({ ...facts, carry: '' }, facts.carry) : facts;
}

// Keep a byte order mark as a character, so that the same bytes give the same text for any chunk boundaries.
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

/** Keeps the unfinished last line, or reads it if it is longer than any real one. */
function carryOn(facts: LogFacts, carry: string): LogFacts {
  if (carry.length <= limits.logLineCharsMax) return { ...facts, carry };
  return { ...readLine({ ...facts, carry: '' }, carry), skipping: true };
}

/** Reads whole lines in [begin, end), where a newline precedes `begin`. Lines without a telling word are only counted. */
function readLines(facts: LogFacts, bytes: Uint8Array, begin: number, end: number): LogFacts {
  let next = facts;
  for (let from = begin; from < end; ) {
    const at = findTellingWord(bytes, from - 1, end);
    const start = at === -1 ? end : Math.max(from, bytes.lastIndexOf(NEWLINE, at + 1) + 1);
    next = { ...next, lines: next.lines + countLines(bytes, from, start) };
    if (at === -1) return next;
    const lineEnd = bytes.indexOf(NEWLINE, start);
    next = readLine(next, textOf(bytes.subarray(start, lineEnd)));
    from = lineEnd + 1;
  }
  return next;
}

/** Reads the last line of a log that ended without a newline. */
export function finishLog(facts: LogFacts): LogFacts {
  return facts.carry === '' ? facts : readLine({ ...facts, carry: '' }, facts.carry);
}

function readLine(facts: LogFacts, whole: string): LogFacts {
  const line = cutText(whole, limits.logLineCharsMax).replace(/\r$/, '');
  const counted = readFailure({ ...facts, lines: facts.lines + 1 }, line);
  const training = readTrainingLine(line);
  if (training?.work === 'eval') return readEvalBar(counted, training);
  const isOther = training === null || training.work === 'other';
  return readPlainLine(isOther ? readMemory(counted, line) : readTraining(counted, training, line), line);
}

/** Memory reports of any program between the training lines. */
function readMemory(facts: LogFacts, line: string): LogFacts {
  const memory = memoryReportIn(line);
  if (memory === null) return facts;
  const { training } = facts;
  return { ...facts, training: { ...training, look: { ...training.look, memory } } };
}

/** If the trainer prints no line for its first step, the first loss shows that the step completed. */
function readTraining(facts: LogFacts, line: TrainingLine, text: string): LogFacts {
  const { exactTotal } = facts;
  if (line.work === 'unnamed' && exactTotal !== null && line.total?.value !== exactTotal) return facts;
  const known = withTraining(facts, line);
  // Some trainers print a NaN loss before the first step.
  if (line.step?.value === 0) return known;
  const isBroken = isNotFinite(line, known.training);
  const isSeen = facts.failures.some(
    (one) => one.id === LOSS_NOT_FINITE && one.lastLineNumber === facts.lines,
  );
  return {
    ...(isBroken && !isSeen ? withFailure(known, LOSS_NOT_FINITE, text) : known),
    firstStepCompleted: facts.firstStepCompleted || (line.measures.loss !== undefined && !isBroken),
  };
}

function withTraining(facts: LogFacts, line: TrainingLine): LogFacts {
  const { step, total, measures } = line;
  const moved = step !== null ? step.value !== facts.step?.value : measures.loss !== undefined;
  return {
    ...facts,
    training: addTrainingLine(facts.training, line, moved ? facts.lines : null),
    step: step ?? facts.step,
    loss: measures.loss ?? facts.loss,
    // rules HR-48, ML-15
    exactTotal: facts.exactTotal ?? (total?.exact === true ? total.value : null),
  };
}

/** An eval starts with a bar without steps and ends when its bar is full. */
function readEvalBar(facts: LogFacts, { step, total }: TrainingLine): LogFacts {
  if (step === null) return { ...facts, evalRunning: true };
  return step.value === total?.value ? { ...facts, evalRunning: false } : facts;
}

// Entity and project may contain anything but a slash or a space; the emoji before the link may be mojibake.
const TRACKER_LINK = /https:\/\/wandb\.ai\/[^/\s]{1,128}\/[^/\s]{1,128}\/runs\/([\w-]{1,128})(?![\w-])/;
// More digits are no step, and exceed what a number stores exactly.
const STEP_DIGITS_MAX = 15;
const EVAL_VALUE =
  /(?<![\w./-])(eval\/[\w./-]{1,120}?)[=:] ?([+-]?(?:\d{1,40}(?:\.\d{1,40})?(?:e[+-]?\d{1,4})?|nan|inf))(?!\w|\.\d)/gi;

function readPlainLine(facts: LogFacts, line: string): LogFacts {
  let next = facts;
  const steps = trainerSays('totalSteps', line)?.[1];
  if (steps !== undefined)
    next = { ...next, exactTotal: facts.exactTotal ?? Number(steps.replaceAll(',', '')) };
  if (trainerSays('firstStep', line) !== null) next = { ...next, firstStepCompleted: true };
  const link = TRACKER_LINK.exec(line);
  if (link !== null) next = addTracker(next, link);
  const [, path = null, step = ''] = trainerSays('saved', line) ?? [];
  if (path !== null && step.length <= STEP_DIGITS_MAX)
    next = { ...next, checkpointPath: path, checkpointStep: Number(step), isSaving: false };
  else if (trainerSays('saving', line) !== null) next = { ...next, isSaving: true };
  const resumed = trainerSays('resumed', line)?.[1];
  if (resumed !== undefined) {
    const replay = goneBack(next.training.replay, next.training.series.loss);
    next = { ...next, resumedFrom: resumed, training: { ...next.training, replay } };
  }
  const values = [...line.matchAll(EVAL_VALUE)].map((match) => [match[1] ?? '', match[2] ?? ''] as const);
  return values.length === 0 ? next : addEvals(next, values);
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
