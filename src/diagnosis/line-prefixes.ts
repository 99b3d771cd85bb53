/** Reads one line of a log: splits it, and strips the prefixes that loggers and launchers add. The watch and the diagnosis both use it. */

import { limits } from '../domain/limits.ts';
import { cutText, parseJson } from '../domain/values.ts';

/** The severity from the logger; null without a logger. */
export type Level = 'quiet' | 'warning' | 'error';

export type PlainLine = {
  /** Without prefixes and colours. */
  readonly text: string;
  /** With its prefixes, or the fields beside a message of one line: some belong to the format of a trainer or of a message. */
  readonly whole: string;
  /** The task, rank or host that printed the line, so that interleaved tracebacks stay separate. */
  readonly stream: string;
  readonly level: Level | null;
};

/** The lines in one line of a log: those of its JSON record if it has one, those of a bar and its rest, otherwise the line itself. */
export function readLogLine(raw: string): readonly PlainLine[] {
  const line = raw.length > JSON_CHARS_MAX ? cutText(raw, limits.logLineCharsMax) : raw;
  const record = readJsonLogRecord(line);
  if (record === null) return splitBars(line).map(stripPrefixes);
  const { stream } = stripPrefixes(line);
  return record.lines.map((one) => {
    const plain = stripPrefixes(one);
    const whole = record.lines.length === 1 ? cutText(line, limits.logLineCharsMax) : plain.whole;
    return { ...plain, whole, stream: stream + plain.stream, level: plain.level ?? parseLevel(record.level) };
  });
}

/** A bar ends without a newline, so the next output follows on the same line. */
function splitBars(line: string): readonly string[] {
  const bar = BAR_END.exec(line);
  if (bar === null) return [line];
  const end = bar.index + bar[0].length;
  const rest = line.slice(end);
  return /^[:,]?\s{0,8}$/.test(rest) || BAR_ENDS_ON.test(rest) ? [line] : [line.slice(0, end), rest];
}

/** Strips colours and all known prefixes, even several in a row; keeps the indentation after them. */
function stripPrefixes(line: string): PlainLine {
  const whole = cutText(line, limits.logLineCharsMax).replaceAll(COLOUR, '');
  let text = whole;
  let stream = '';
  let level: Level | null = null;
  for (let round = 0; round < PREFIXES_MAX; round += 1) {
    const worker = matchPrefix(WORKER_PREFIXES, text);
    const found = worker ?? matchPrefix(LOGGER_PREFIXES, text);
    if (found === null) break;
    text = text.slice(found[0].length);
    if (worker !== null) stream += worker[0].replace(/[: ]{1,2}$/, '');
    level = parseLevel(found[1] ?? '') ?? level;
  }
  return { text, whole, stream, level };
}

function matchPrefix(prefixes: readonly RegExp[], text: string): RegExpExecArray | null {
  for (const pattern of prefixes) {
    const match = pattern.exec(text);
    if (match !== null && match[0] !== '') return match;
  }
  return null;
}

function parseLevel(said: string): Level | null {
  return LEVELS[said.toUpperCase()] ?? null;
}

const LEVELS: Readonly<Record<string, Level>> = {
  I: 'quiet',
  INFO: 'quiet',
  DEBUG: 'quiet',
  VERBOSE: 'quiet',
  W: 'warning',
  WARN: 'warning',
  WARNING: 'warning',
  E: 'error',
  F: 'error',
  ERROR: 'error',
  CRITICAL: 'error',
  FATAL: 'error',
};

/** A JSON record can contain the traceback of a whole process. */
const JSON_CHARS_MAX = 100_000;
// At most a logger, a launcher, a container and a scheduler, each with a time.
const PREFIXES_MAX = 8;
/** tqdm's format: percentage, bar, count, then times and rates in brackets. */
const BAR_END = /\d{1,3}%\|[^|]{0,200}\|[^[\]|]{0,60}\[[^[\]]{0,300}\]/;
/** Text that a program appends to a bar is part of the bar. */
const BAR_ENDS_ON = /^[:,]? ?(?:\w{1,40} ?[=:]|\d)/;
const COLOUR = /\p{Cc}\[[\d;]{0,20}[A-Za-z]/gu;

/** They name the task, rank or host. */
const WORKER_PREFIXES: readonly RegExp[] = [
  // Ray, which merges equal lines of several workers.
  /^\((?:(?:[^()]|\([^()]{0,60}\)){0,80}\bpid=\d{1,10}[^()]{0,60}|raylet[^()]{0,40}|autoscaler[^()]{0,40})\) ?/,
  // torchrun, with and without --tee; Iris; Kubernetes' multi-pod tails.
  /^\[(?:rank|default|local_rank|task|worker|host|proc|process|node|gpu|pod|replica)[ /:_-]?[\w./-]{0,80}\](?::|(?=[ [])|$) ?/i,
  /^\[[a-z]?\d{1,5}\]:? ?/,
  // srun --label and mpirun --tag-output.
  /^ {0,3}\d{1,5}: (?=\S| {2})/,
  /^\[\d{1,3},\d{1,5}\]<std(?:out|err)>: ?/,
  // pdsh and DeepSpeed's launcher: a host name or address.
  /^(?=[a-z.-]{0,60}\d)[a-z][a-z\d.-]{1,60}: (?=\S| {2})/,
  /^\d{1,3}(?:\.\d{1,3}){3}: ?/,
  /^[\w.-]{1,60} +\| /,
  /^task=[\w./-]{1,160} (?:\| )?(?=\S| {2})/,
  /^[a-z][\w.-]{0,60} [\w./-]{1,60}\[\d{1,10}\]: ?/,
];
/** Times and loggers. The first group, if any, is the level. */
const LOGGER_PREFIXES: readonly RegExp[] = [
  // Kubernetes and Docker, ISO times, times of day, dmesg.
  /^\[?\d{4}-\d\d-\d\d[T ,]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?: (?:stdout|stderr) [FP])?\]?:?(?: -)?[ \t]?/,
  /^\[?\d{2,4}[/-]\d\d[/-]\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? ?/,
  /^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? (?=\S)/,
  /^\[ {0,8}\d{1,9}\.\d{1,9}\] /,
  /^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d [\w.-]{1,60} [\w[\]./-]{1,60}: /,
  // glog and absl in their C++ and Python formats, and PyTorch.
  /^\[?([IWEF])\d{3,8} \d\d:\d\d:\d\d\.\d{1,9} {1,8}(?:\d{1,10} )?[\w./-]{1,120}:\d{1,6}\] ?/,
  /^\[?([IWEF]) (?:external\/)?[\w./-]{1,160}:\d{1,6}\] ?/,
  // Python's logging in its common formats, loguru, DeepSpeed, Megatron.
  /^\[(INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL)[^\]]{0,60}\]:? ?/i,
  // Hydra, with the logger's name also in brackets.
  /^(?:\[[\w./:-]{1,160}\]){1,5}\[(INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL)\]{1,2}(?:\[[\w./:-]{1,80}\])?(?: -)? ?/,
  /^(INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL):[\w.-]{1,80}: ?/,
  // Apptainer.
  /^(INFO|DEBUG|VERBOSE|WARNING|ERROR|FATAL) {1,8}\[U=\d{1,9},P=\d{1,9}\] {1,8}/,
  /^[-|]? ?(INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL) {0,8}[-:|] ?/,
  /^(INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL) {1,8}(?:[\w./:-]{1,120} (?:::|--|-)|[\w./-]{1,120}:\d{1,6})(?: |$)/,
  // Levanter.
  /^(?:\d{1,5} - )?[\w.-]{1,80} - [\w.-]{1,80}:\d{1,6} - (INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL) :: ?/,
  /^(WARN|WARNING|ERROR|CRITICAL|FATAL) (?=\S| {2})/,
  // Without a logger's name, the level comes from a collector that labels all lines alike.
  /^(?:INFO|DEBUG) (?=\S| {2})/,
  /^\| (INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL) {1,8}\| [^|]{1,160} - /,
  /^[\w.-]{1,80} - (INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL) - /,
  /^(?:[\w.-]{1,80} - )(?=(?:INFO|DEBUG|WARN|WARNING|ERROR|CRITICAL|FATAL)\b)/,
  /^\[[\w./-]{1,120}:\d{1,6}(?::[\w<>]{1,80})?\] ?/,
];

export type JsonLogRecord = { readonly lines: readonly string[]; readonly level: string };

/** Extracts the lines of the message and of the exception from a JSON record; null if the line is none. */
export function readJsonLogRecord(line: string): JsonLogRecord | null {
  const at = line.indexOf('{"');
  // A launcher's prefix, which contains no brace, may precede the record.
  if (at < 0 || at > PREFIX_CHARS || !line.trimEnd().endsWith('}')) return null;
  const record = parseJson(line.slice(at));
  // Treat invalid JSON as plain text.
  if (!isObject(record)) return null;
  const inner = record['jsonPayload'] ?? record['record'];
  const fields = isObject(inner) ? { ...record, ...inner } : record;
  const texts = [...MESSAGES, ...EXCEPTIONS].flatMap((name) => recordTexts(fields[name]));
  if (texts.length === 0) return null;
  const said = LEVEL_FIELDS.flatMap((name) => recordTexts(fields[name]))[0] ?? '';
  return {
    lines: texts.flatMap((text) => text.replace(/\n$/, '').split('\n')).slice(0, LINES_MAX),
    level: LOGGERS.some((name) => name in fields) ? said : LOUD.test(said) ? said : '',
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** Message fields of Python's JSON formatters, structlog, Docker, Google Cloud Logging and Fluent Bit, in order of preference. */
const MESSAGES = ['message', 'msg', 'log', 'textPayload', 'event', 'text'];
const EXCEPTIONS = ['exc_info', 'exc_text', 'exception', 'traceback', 'stack_trace', 'stacktrace', 'stack'];
/** Without a logger's name, the level comes from a collector that labels all lines alike. */
const LOGGERS = ['logger', 'logger_name', 'name', 'module', 'lineno', 'funcName', 'caller'];
const LOUD = /^(?:warn(?:ing)?|error|critical|fatal)$/i;
const LEVEL_FIELDS = ['level', 'severity', 'levelname', 'log_level'];
const PREFIX_CHARS = 200;
/** The traceback of a recursion has about a thousand lines. */
const LINES_MAX = 2_000;
