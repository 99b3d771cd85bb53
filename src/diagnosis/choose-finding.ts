/** Chooses the cause of a failure among all findings in a log; a failure line that no row knows blocks automatic restarts. */

import { type FailureClass, FIRST_RESPONSE, type FirstResponse } from '../domain/failure-class.ts';
import { cutText } from '../domain/values.ts';
import { WRAPPERS } from './exception-class.ts';
import type { Level, PlainLine } from './line-prefixes.ts';
import type { Row } from './row.ts';
import type { Raised } from './traceback.ts';

/** A line with evidence, and the exception if the evidence comes from a traceback. */
export type LogFinding = Pick<Row, 'class' | 'weight' | 'confidence'> & {
  readonly line: number;
  readonly text: string;
  readonly exception: Raised | null;
  /** The task, rank or host that printed it; empty if the line does not say. */
  readonly stream: string;
};

/** The first cause, otherwise the finding nearest to a cause. `findings`: in log order. Returns null for none. */
export function chooseFinding(findings: readonly LogFinding[]): LogFinding | null {
  const causes = findings.filter(({ weight }) => weight === 'cause');
  const first = chooseFirst(causes);
  // A device error in a program is a symptom of a hardware fault that another line reports.
  const machine = causes.find(({ class: kind, confidence }) => kind === 'bad-node' && confidence === 'high');
  if (machine !== undefined && first !== undefined && isDriverError(first)) return machine;
  // A denied write fails first; the line that names the missing permission comes later.
  const refused = causes.find(({ class: kind, confidence }) => kind === 'auth' && confidence === 'high');
  if (refused !== undefined && first?.class === 'storage') return refused;
  // Preempted machines resemble dead machines until a line reports the preemption.
  const taken = causes.find(({ class: kind }) => kind === 'preempted');
  if (first !== undefined) return taken !== undefined && TAKEN_ALIKE_CLASSES.includes(first.class) ? taken : first;
  for (const weight of ['effect', 'hint'] as const) {
    const told = findings.filter((one) => one.weight === weight);
    for (const kind of NEAREST_FIRST) {
      const found = told.find((one) => one.class === kind);
      if (found !== undefined) return found;
    }
    if (told[0] !== undefined) return told[0];
  }
  return null;
}

/** A known cause replaces an unknown one, unless the known cause would simply be retried. */
function chooseFirst(causes: readonly LogFinding[]): LogFinding | undefined {
  const [first] = causes;
  if (first?.class !== 'unknown') return first;
  const known = causes.find(({ class: kind }) => kind !== 'unknown');
  return known !== undefined && FIRST_RESPONSE[known.class] !== 'retry-bounded' ? known : first;
}

/** Whether the driver reported the error. It arrives late and at any place, so the raising line is no evidence. */
function isDriverError({ class: kind, text }: LogFinding): boolean {
  return kind === 'code-other' && /\b(?:CUDA|HIP|XLA|TPU|cuda|hip)\b/.test(text);
}

const TAKEN_ALIKE_CLASSES: readonly FailureClass[] = ['infra-cluster', 'network', 'stalled'];

/** Classes of effects and hints, nearest to the cause first: nearly every failure leads to a closed connection. */
const NEAREST_FIRST: readonly FailureClass[] = [
  'nan',
  'oom-hbm',
  'oom-host',
  'stalled',
  'infra-cluster',
  'storage',
  'network',
  'preempted',
];

/** An exception of any package at the start of a line. */
const RAISED = /^\s{0,8}([A-Za-z_][\w.]*)(?:[:(]|$)/;
const RAISED_NAME = /(?:Error|Exception|StopIteration|Unsupported)$/;
/** NaN, as progress bars and metrics print it. */
const NO_NUMBER = /[=:|(]\s{0,3}(?:nan|NaN|NAN)(?![\w-])/;
const NO_NUMBER_APART = /\s(?:nan|NaN|NAN) {0,3}(?:[|,;)]|$)/;
const INFINITE =
  /\bgrad(?:ient)?[_ ]norm[=: ]{1,3}inf\b|\b(?:(?:avg|lm|total|train)_)?loss(?:_total|_mean)?[=: ]{1,3}-?inf\b/;
const FAULT =
  /\b(?:isnan|non[- ]?finite|not finite|inf in|panic(?:ked)?|SIG(?:FPE|SEGV|ILL|BUS)|segmentation fault|bus error|illegal (?:instruction|memory|access)|core dumped|exception in|(?:uncaught|unhandled) exception|assert(?:ion)? failed|invariant violated|corrupt\w{0,4}|diverged|exploded|crashed|unrecoverable|beyond repair|unsupported|launch failed)\b/i;
const THROWN = /throwing an instance of (?!'?(?:c10|torch|std::runtime_error))/;
const MEMORY =
  /\b(?:out of memory|OOM\b|(?:not enough|insufficient|cannot allocate) memory|memory (?:exhausted|allocation)|memory .{0,20}limit (?:reached|exceeded)|RESOURCE_EXHAUSTED|exceed(?:s|ed) (?:the )?(?:capacity|limit)|failed to allocate|killed process|of \d{1,6} ?[KMGT]i?B$)/i;
const READ =
  /\b(?:(?:can(?:no|')t|could not|couldn't|unable to|failed to) (?:be )?(?:decode|parse|read|open|load|find|authenticate|token)\w{0,4}|unexpected (?:end|EOF)\b|EOF while|decode error|out of range\b|is empty$|(?:but|was|it) (?:got|found|has) \d|expected \d{1,12} (?!GPU|device|host|node|rank|chip)|bad magic|validation (?:failed|error)|failed .{0,30}\bvalidation)|\bid \d{1,12} >= /i;
const REFUSED =
  /^usage: |\b(?:invalid|mismatch|(?:does|do) not match|not allowed|validation failed|unknown (?:option|key|argument|field)|permission denied|expired|login required|unauthori[sz]ed|forbidden|no access|No module named|GLIBC[\w.]{0,12} not found|quota exceeded|I\/O error|must be (?:a |one |set))\b/i;
/** Launchers, interconnects and runtimes log these as errors too while a job ends. */
const RUNTIME_NOISE =
  /\b(?:watchdog|collective|megascale|DCN|coordination|dump signal|heartbeat|PG ID|plugin|metric server|session|DIST|exitcode|conda run|task finished|job exited)\b/i;
const ALARM_PATTERNS = [NO_NUMBER, NO_NUMBER_APART, INFINITE, FAULT, THROWN, MEMORY, READ, REFUSED];

/** Whether a line that matches no row reports a failure anyway. */
export function isAlarmLine(text: string, level: Level | null): boolean {
  if (level === 'quiet' || level === 'warning' || RUNTIME_NOISE.test(text)) return false;
  if (level === 'error') return true;
  const raised = RAISED.exec(text)?.[1]?.split('.').at(-1) ?? '';
  return (RAISED_NAME.test(raised) && !WRAPPERS.test(raised)) || ALARM_PATTERNS.some((pattern) => pattern.test(text));
}

/**
 * Whether an unexplained failure may have caused the chosen finding. A class that leads to a retry or a node replacement must be the first
 * failure. An effect or hint follows a failure, so an alarm anywhere in the log counts.
 */
export function isOvershadowed(
  chosen: LogFinding,
  findings: readonly LogFinding[],
  alarms: readonly number[],
): boolean {
  if (!ACTS.includes(FIRST_RESPONSE[chosen.class])) return false;
  return (
    alarms.some((line) => chosen.weight !== 'cause' || line < chosen.line) ||
    findings.some((one) => one.line < chosen.line && one.weight !== 'cause' && isUnexplainedCause(one))
  );
}

/**
 * Whether the chosen finding is only what peers print about a rank that ended by itself: the launcher or an abort names a rank, and that rank
 * printed nothing of this class.
 */
export function isOfPeers(
  { class: kind, weight }: LogFinding,
  findings: readonly LogFinding[],
  endedRank: string | null,
): boolean {
  if (weight !== 'effect' || !BETWEEN_PEERS.includes(kind) || endedRank === null) return false;
  const alike = findings.filter((one) => one.class === kind);
  return !alike.some(({ stream, exception }) => (stream === '' ? exception !== null : rankOf(stream) === endedRank));
}

const BETWEEN_PEERS: readonly FailureClass[] = ['network', 'stalled'];

function rankOf(stream: string): string | null {
  return /(\d{1,6})\D{0,2}$/.exec(stream)?.[1] ?? null;
}

/** Whether the class needs a person and names a cause. `unknown` does not: the reason for a stop may be logged after the end. */
function isUnexplainedCause({ class: kind }: LogFinding): boolean {
  return kind !== 'unknown' && !ACTS.includes(FIRST_RESPONSE[kind]) && !TRIED_AGAIN.includes(kind);
}

const ACTS: readonly FirstResponse[] = ['retry-bounded', 'propose-node'];
/** Classes that appear in the log while links or machines fail. */
const TRIED_AGAIN: readonly FailureClass[] = ['infra-cluster', 'capacity', 'storage'];

/** The last line with text, the last step line before it, and the other lines among steps. */
export type LastLines = {
  line: string;
  isStep: boolean;
  step: string;
  /** Line prefixes seen before the last step; `behind`: lines after that step. */
  readonly knownPrefixes: Set<string>;
  afterStep: string[];
  /** The prefix of the last line without a failure, and the numbers of the last few lines that repeat their predecessor's prefix. */
  prefix: string;
  samePrefixAt: readonly number[];
};

/** Prefixes kept: lines that recur among steps recur soon. */
const BEGINNINGS_MAX = 400;
const BEGINNING_CHARS = 48;

/** Adds the next line. `isSoft`: its logger ranks it as a warning or lower. */
export function addLastLine(
  last: LastLines,
  { text: line, isStep, isSoft }: { readonly text: string; readonly isStep: boolean; readonly isSoft: boolean },
): void {
  if (line.trim() === '') return;
  if (last.isStep) last.step = last.line;
  Object.assign(last, { line, isStep });
  if (!isStep) {
    if (!isSoft && last.afterStep.length < BEGINNINGS_MAX) last.afterStep.push(cutText(line, LINE_CHARS));
    return;
  }
  for (const one of last.afterStep) last.knownPrefixes.add(linePrefix(one));
  for (const oldest of last.knownPrefixes) {
    if (last.knownPrefixes.size <= BEGINNINGS_MAX) break;
    last.knownPrefixes.delete(oldest);
  }
  last.afterStep = [];
}

/** Adds a line without a failure. A program that repeats a line with other numbers is at work, even if its meaning is unknown. */
export function addRhythmLine(last: LastLines, text: string, line: number): void {
  const beginning = linePrefix(text);
  if (beginning === '') return;
  if (beginning === last.prefix) last.samePrefixAt = [...last.samePrefixAt, line].slice(-RHYTHM_LINES);
  last.prefix = beginning;
}

/** The line since which the log repeats itself; 0 if it does not. */
export function repeatsSinceLine({ samePrefixAt }: LastLines): number {
  return samePrefixAt.length < RHYTHM_LINES ? 0 : (samePrefixAt[0] ?? 0);
}

/** Whether the lines after the last step all occurred among steps before, or report the usual end of work. */
export function endsLikeBefore({ knownPrefixes, afterStep }: LastLines): boolean {
  return afterStep.every((line) => knownPrefixes.has(linePrefix(line)) || KEEPING.test(line));
}

function linePrefix(line: string): string {
  return lineShape(cutText(line, BEGINNING_CHARS));
}

/** A launcher that reports a failure prints fewer similar lines. */
const RHYTHM_LINES = 8;
/** The part of a line that shows its subject. */
const LINE_CHARS = 200;
/** Work at the end of an interval: saving, evaluating, finishing. */
const KEEPING =
  /\b(?:sav(?:e[ds]?|ing)|writ(?:e|ten|ing)|wrote|checkpoint\w{0,4}|stor(?:ed|ing)|upload(?:ed|ing)|eval\w{0,8}|valid\w{0,6}|test\w{0,4}|done|finish(?:ed|ing)|complete[ds]?)\b|^\W{0,4}warn(?:ing)?\b|^wandb: /i;

/** Whether the log ends in the middle of a step line, so the writer stopped there. */
export function isLineCutShort({ line, step }: LastLines): boolean {
  const [shown, whole] = [lineShape(line), lineShape(step)];
  return shown !== '' && shown !== whole && whole.startsWith(shown);
}

function lineShape(text: string): string {
  return text.trim().replace(/\d+/g, '#');
}

/** Line numbers from 1; 0 if there was no such line. */
export type LastReports = {
  /** Reports of success, and of failure. */
  successAt: number;
  failureAt: number;
  /** A launcher started the job again. */
  restartedAt: number;
  /** A lost connection was restored. */
  reconnectedAt: number;
  /** The name of an exception outside a traceback. */
  loneExceptionAt: number;
  /** A line that its logger ranks as an error. */
  errorAt: number;
  /** The first rank that ended by itself, according to its launcher or its own abort. */
  endedRank: string | null;
};

/** Adds the next line. */
export function addReport(said: LastReports, { text, level, stream }: PlainLine, line: number): void {
  const aborted = text.startsWith('Fatal Python error: Aborted') ? rankOf(stream) : null;
  said.endedRank ??= ENDED.exec(text)?.[1] ?? aborted;
  if (RECOVERED.test(text)) said.reconnectedAt = line;
  if (STRAY_ERROR.test(text)) said.loneExceptionAt = line;
  if (RESTART.test(text)) said.restartedAt = line;
  if (level === 'error') said.errorAt = line;
  // Other warnings are no failure.
  if (FAILURE.test(text) && (level !== 'warning' || WARNED_OF.test(text))) said.failureAt = line;
  else if (reportsSuccess(text)) said.successAt = line;
}

/** Harmless lines that resemble failures: a model's input and output, NCCL INFO, deprecations. */
export const NOISE =
  /^\s{0,8}(?:sample|example|prompt|completion|generat(?:ed|ion)|prediction|predicted|target|reference|input|output)s?(?:[ _]?(?:text|\d{1,4}))?\s?[:=]\s?["'`]|^[\s[{(]{0,12}['"](?:content|text|prompt|completion|response|question|answer|instruction)['"]\s?:\s?["']|\bNCCL INFO\b|DeprecationWarning|FutureWarning|UserWarning|ResourceWarning|DeprecationNotice|^\s*warnings\.warn\(|\b[Ii]gnor(?:ing|ed)\b|trying next|falling back|\busing (?:a |the )?fallback\b|\b[Dd]ropping entry: |\(harmless\)/;
/** An exception name anywhere in a line. */
export const STRAY_ERROR =
  /\b(?:Key|Value|Type|Name|Attribute|Index|Import|Syntax|Assertion|UnboundLocal|ZeroDivision)Error\b/;
/** A launcher that restarts the whole job. */
export const RESTART =
  /attempts? left; will restart|\bwill restart worker group\b|[Rr]estarting (?:worker group|training|the job|job|run)\b|\battempt \d{1,4} failed\b.{0,60}restart/;
const SUCCESS =
  /'train_runtime': |^\s{0,8}train_runtime {1,30}= |all (?:ranks|workers|tasks) (?:finished|completed|done)|\b(?:[Tt]raining|TRAINING|[Rr]un|[Jj]ob|[Ff]itting|[Ee]xperiment|[Ww]orker group|train_loop)\b[^.]{0,40} (?:completed?|finished|succeeded|done)\b(?! (?:epoch|with|evaluating))|\b(?:finished|completed|exited|exits?) successfully\b|\bSUCCEEDED\b|\b[Ee]xit(?:ed|s)?(?: with)?(?: code| status)? ?[:=]? ?0\b|completed \d{1,12} steps successfully|`?max_(?:steps|epochs)=\d{1,12}`? reached|Training completed\. Do not forget|condition: Complete|\bState[=:] ?COMPLETED\b|\bExitCode=0:0\b/;
/** Words before a success word that negate it. */
const DENIED =
  /\b(?:no|not|never|without|before|until|once|waiting|will|would|did|timed out|to (?:complete|finish|succeed))\b/i;
const FAILED = /(?<!(?<![\w/.-])0 (?:tasks |steps |jobs )?)(?:\b|_)failed\b|\bfailures?[ :=]{1,3}[1-9]/i;
/** Lines that report a failed end. */
export const FAILURE =
  /\b(?:FAILED|failed with exit|JOB_ENTRYPOINT_COMMAND_ERROR|CANCELLED|[Ee]xit(?:ed)?(?: with)?[ _](?:code|status)[ :=]{0,3}-?[1-9])|exitcode ?: ?-?[1-9]|\b(?:job|run|task|training) failed\b|\bwith status [1-9]|death signal|closing signal|\b(?:[Kk]illing|[Aa]borting|[Tt]erminating) (?:the |this )?(?:job|run|training|ranks?|workers?)\b|\bcore dumped\b|[Ss]egmentation fault|\bBus error\b|^Terminated$|\bterminated with (?:exit )?code -\d|terminate called after|Fatal Python error|Begin stack trace|\bCheck failed: |halted unexpectedly|(?<!['"[])\b[Kk]illed\b(?!['"\]])|\bAborted\b|\bcode=(?:dumped|killed|exited), status=[1-9]|Failed with result '|\b(?:phase|status|state|result|conclusion)['"]?\s?[:=]\s?['"]?[Ff]ailed\b/;

/** torchrun names the rank that failed first. A negative code is a signal, which the launcher itself may have sent. */
const ENDED = /\bfailed \(exitcode: [1-9]\d{0,2}\) local_rank: (\d{1,6})/;

/** Lines that report a restored connection. */
export const RECOVERED =
  /\b(?:[Nn]etwork error|[Cc]onnection|[Oo]utage)\b.{0,40} (?:resolved|restored|re-?established|recovered)\b|\bresuming normal operation\b|\b[Rr]econnected (?:to|after)\b/;
/** Failure lines that a monitor or a launcher logs as warnings. */
export const WARNED_OF = /closing signal|\bphase['"]?\s?[:=]\s?['"]?Failed\b/;

/** Whether the line reports success and no failure. */
export function reportsSuccess(text: string): boolean {
  const said = SUCCESS.exec(text);
  return said !== null && !FAILED.test(text) && !DENIED.test(text.slice(0, said.index + said[0].length));
}
