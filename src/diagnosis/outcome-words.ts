/** Words by which a log tells how a job went, whatever it died of. */

import type { FailureClass } from '../domain/failure-class.ts';

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
