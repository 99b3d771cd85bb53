/** How a log ends: what it said last of success and failure, and whether its last lines are as those among which it made its steps. */

import type { FailureClass } from '../domain/failure-class.ts';
import { cutText } from '../domain/text.ts';
import type { Level } from './unprefixed.ts';

/** The last line that is not empty, the last one before it that shows a step, and what else is said among steps. */
export type LastLines = {
  line: string;
  isStep: boolean;
  step: string;
  /** How lines begin that stand before the last step, and those that stand behind it. */
  readonly known: Set<string>;
  behind: string[];
  /** How the last line begins that tells of nothing, and where the last few of those stand that begin as the one before. */
  beginning: string;
  alike: readonly number[];
};

/** Beginnings of lines that are kept: what comes again among steps comes soon. */
const BEGINNINGS_MAX = 400;
const BEGINNING_CHARS = 48;

/** Of a log of which nothing was read. */
export function newLastLines(): LastLines {
  return { line: '', isStep: false, step: '', known: new Set(), behind: [], beginning: '', alike: [] };
}

/** Takes the next line; `isSoft`: its logger calls it no more than a warning. */
export function noteLine(
  last: LastLines,
  {
    text: line,
    isStep,
    isSoft,
  }: { readonly text: string; readonly isStep: boolean; readonly isSoft: boolean },
): void {
  if (line.trim() === '') return;
  if (last.isStep) last.step = last.line;
  Object.assign(last, { line, isStep });
  if (!isStep) {
    if (!isSoft && last.behind.length < BEGINNINGS_MAX) last.behind.push(cutText(line, LINE_CHARS));
    return;
  }
  for (const one of last.behind) last.known.add(beginningOf(one));
  for (const oldest of last.known) {
    if (last.known.size <= BEGINNINGS_MAX) break;
    last.known.delete(oldest);
  }
  last.behind = [];
}

/** Takes a line that tells of no failure: whoever prints the same with other numbers again and again is at work, whatever it means. */
export function noteRhythm(last: LastLines, text: string, line: number): void {
  const beginning = beginningOf(text);
  if (beginning === '') return;
  if (beginning === last.beginning) last.alike = [...last.alike, line].slice(-RHYTHM_LINES);
  last.beginning = beginning;
}

/** Since which line the log has been like that; 0 where it is not. */
export function worksSince({ alike }: LastLines): number {
  return alike.length < RHYTHM_LINES ? 0 : (alike[0] ?? 0);
}

/** Whether nothing was said behind the last step but what was said among the steps too, and what work ends with. */
export function isUsualEnd({ known, behind }: LastLines): boolean {
  return behind.every((line) => known.has(beginningOf(line)) || KEEPING.test(line));
}

function beginningOf(line: string): string {
  return shapeOf(cutText(line, BEGINNING_CHARS));
}

/** A launcher that tells of a failure says a few things of one kind. */
const RHYTHM_LINES = 8;
/** As much of a line as says what it is about. */
const LINE_CHARS = 200;
/** Of what was trained, kept and measured at the end of an interval. */
const KEEPING =
  /\b(?:sav(?:e[ds]?|ing)|writ(?:e|ten|ing)|wrote|checkpoint\w{0,4}|stor(?:ed|ing)|upload(?:ed|ing)|eval\w{0,8}|valid\w{0,6}|test\w{0,4}|done|finish(?:ed|ing)|complete[ds]?)\b|^\W{0,4}warn(?:ing)?\b|^wandb: /i;

/** Whether the log ends in the middle of a line that shows a step: whoever wrote it went on to nothing. */
export function isCutShort({ line, step }: LastLines): boolean {
  const [shown, whole] = [shapeOf(line), shapeOf(step)];
  return shown !== '' && shown !== whole && whole.startsWith(shown);
}

function shapeOf(text: string): string {
  return text.trim().replace(/\d+/g, '#');
}

/** Lines, from 1; 0 where none says it. */
export type LastSaid = {
  /** That all went well, and that something did not. */
  successAt: number;
  failureAt: number;
  /** A launcher began again. */
  restartedAt: number;
  /** What was lost is there again. */
  overcomeAt: number;
  /** The name of an exception that stands in no traceback. */
  strayAt: number;
  /** What a logger calls an error. */
  errorAt: number;
};

/** Of a log of which nothing was read. */
export function newLastSaid(): LastSaid {
  return { successAt: 0, failureAt: 0, restartedAt: 0, overcomeAt: 0, strayAt: 0, errorAt: 0 };
}

/** Takes the next line. */
export function noteSaid(said: LastSaid, text: string, level: Level | null, line: number): void {
  if (OVERCOME.test(text)) said.overcomeAt = line;
  if (STRAY.test(text)) said.strayAt = line;
  if (RESTART.test(text)) said.restartedAt = line;
  if (level === 'error') said.errorAt = line;
  // What else only warns has not failed.
  if (FAILURE.test(text) && (level !== 'warning' || WARNED_OF.test(text))) said.failureAt = line;
  else if (tellsOfSuccess(text)) said.successAt = line;
}

/** Lines that look alarming and are not: what a model reads or writes, NCCL's information, deprecations. */
export const NOISE =
  /^\s{0,8}(?:sample|example|prompt|completion|generat(?:ed|ion)|prediction|predicted|target|reference|input|output)s?(?:[ _]?(?:text|\d{1,4}))?\s?[:=]\s?["'`]|^[\s[{(]{0,12}['"](?:content|text|prompt|completion|response|question|answer|instruction)['"]\s?:\s?["']|\bNCCL INFO\b|DeprecationWarning|FutureWarning|UserWarning|ResourceWarning|DeprecationNotice|^\s*warnings\.warn\(|\b[Ii]gnor(?:ing|ed)\b|trying next|falling back|\(harmless\)/;
/** What is tried again. */
export const RETRIES =
  /\bretry(?:ing)?\b(?! (?:attempts? )?(?:failed|exhausted))|(?<!max )\bretries\b(?! exhausted)|will try again|backing off|attempt \d{1,4} ?(?:\/|of) ?\d/i;
/** What whoever found it does about a number that is none, and goes on. */
export const HANDLED =
  /^\W{0,4}warn(?:ing)?\b.{0,200}\b(?:skipp(?:ing|ed)|ignor\w{2,4}|reset(?:ting)?|replac(?:ing|ed)|zero(?:ing|ed)|clamp\w{2,4})\b/i;
/** A loss that is no number, a scheduler's notice and a full queue are told as information. */
export const ALWAYS_SAID_SOFTLY: readonly FailureClass[] = ['nan', 'preempted', 'capacity'];
/** The name of an exception, wherever it stands. */
export const STRAY =
  /\b(?:Key|Value|Type|Name|Attribute|Index|Import|Syntax|Assertion|UnboundLocal|ZeroDivision)Error\b/;
/** Of a launcher that tries the whole again. */
export const RESTART =
  /attempts? left; will restart|\bwill restart worker group\b|[Rr]estarting (?:worker group|training|the job|job|run)\b|\battempt \d{1,4} failed\b.{0,60}restart/;
const SUCCESS =
  /'train_runtime': |^\s{0,8}train_runtime {1,30}= |all (?:ranks|workers|tasks) (?:finished|completed|done)|\b(?:[Tt]raining|TRAINING|[Rr]un|[Jj]ob|[Ff]itting|[Ee]xperiment|[Ww]orker group|train_loop)\b[^.]{0,40} (?:completed?|finished|succeeded|done)\b(?! (?:epoch|with|evaluating))|\b(?:finished|completed|exited|exits?) successfully\b|\bSUCCEEDED\b|\b[Ee]xit(?:ed|s)?(?: with)?(?: code| status)? ?[:=]? ?0\b|completed \d{1,12} steps successfully|`?max_(?:steps|epochs)=\d{1,12}`? reached|Training completed\. Do not forget|condition: Complete|\bState[=:] ?COMPLETED\b|\bExitCode=0:0\b/;
/** Before a word of success: it is told of what did not come to it. */
const DENIED =
  /\b(?:no|not|never|without|before|until|once|waiting|will|would|did|timed out|to (?:complete|finish|succeed))\b/i;
const FAILED = /(?<!(?<![\w/.-])0 (?:tasks |steps |jobs )?)(?:\b|_)failed\b|\bfailures?[ :=]{1,3}[1-9]/i;
/** That something ended badly. */
export const FAILURE =
  /\b(?:FAILED|failed with exit|JOB_ENTRYPOINT_COMMAND_ERROR|CANCELLED|[Ee]xit(?:ed)?(?: with)?[ _](?:code|status)[ :=]{0,3}-?[1-9])|exitcode ?: ?-?[1-9]|\b(?:job|run|task|training) failed\b|\bwith status [1-9]|death signal|closing signal|\b(?:[Kk]illing|[Aa]borting|[Tt]erminating) (?:the |this )?(?:job|run|training|ranks?|workers?)\b|\bcore dumped\b|[Ss]egmentation fault|\bBus error\b|^Terminated$|\bterminated with (?:exit )?code -\d|terminate called after|Fatal Python error|Begin stack trace|\bCheck failed: |halted unexpectedly|(?<!['"[])\b[Kk]illed\b(?!['"\]])|\bAborted\b|\bcode=(?:dumped|killed|exited), status=[1-9]|Failed with result '|\b(?:phase|status|state|result|conclusion)['"]?\s?[:=]\s?['"]?[Ff]ailed\b/;

/** That what was lost is there again. */
export const OVERCOME =
  /\b(?:[Nn]etwork error|[Cc]onnection|[Oo]utage)\b.{0,40} (?:resolved|restored|re-?established|recovered)\b|\bresuming normal operation\b|\b[Rr]econnected (?:to|after)\b/;
/** Whoever waits for the steps of others tells as softly that none comes. */
export const LOOKS_ON = /\b(?:watchdog|supervisor|monitor|sidecar)\b/i;
/** Of those the ones that somebody who looks on, or ends the others, tells as a warning. */
export const WARNED_OF = /closing signal|\bphase['"]?\s?[:=]\s?['"]?Failed\b/;

/** Whether the line says that all went well, and not that something did not. */
export function tellsOfSuccess(text: string): boolean {
  const said = SUCCESS.exec(text);
  return said !== null && !FAILED.test(text) && !DENIED.test(text.slice(0, said.index + said[0].length));
}
