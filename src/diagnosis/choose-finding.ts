/** Of all that a log tells, what the job died of; and lines of a failure that no row knows, behind which nothing is started again. */

import { type FailureClass, FIRST_RESPONSE, type FirstResponse } from '../domain/failure-class.ts';
import { WRAPPERS } from './exception-class.ts';
import type { Row } from './row.ts';
import type { Raised } from './traceback.ts';
import type { Level } from './unprefixed.ts';

/** A line that tells, and the exception that it names where a traceback does. */
export type Finding = Pick<Row, 'class' | 'weight' | 'confidence'> & {
  readonly line: number;
  readonly text: string;
  readonly raised: Raised | null;
};

/** The first cause; without one what is nearest to it. `findings` in the order of the log; null for none. */
export function chooseFrom(findings: readonly Finding[]): Finding | null {
  const causes = findings.filter(({ weight }) => weight === 'cause');
  const first = firstOf(causes);
  // What a program cannot explain is a symptom of the machine that somebody else tells of.
  const machine = causes.find(({ class: kind, confidence }) => kind === 'bad-node' && confidence === 'high');
  if (machine !== undefined && first !== undefined && isOfDevice(first)) return machine;
  // Who may not write says that it failed before somebody says why.
  const refused = causes.find(({ class: kind, confidence }) => kind === 'auth' && confidence === 'high');
  if (refused !== undefined && first?.class === 'storage') return refused;
  // Machines that are taken away look like ones that died, until somebody says it.
  const taken = causes.find(({ class: kind }) => kind === 'preempted');
  if (first !== undefined) return taken !== undefined && LIKE_TAKEN.includes(first.class) ? taken : first;
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

/** What nobody knows stands aside for a cause that is known, but never for one that is simply tried again. */
function firstOf(causes: readonly Finding[]): Finding | undefined {
  const [first] = causes;
  if (first?.class !== 'unknown') return first;
  const known = causes.find(({ class: kind }) => kind !== 'unknown');
  return known !== undefined && FIRST_RESPONSE[known.class] !== 'retry-bounded' ? known : first;
}

/** An error that the driver reports, late and anywhere: the line where it is raised says nothing. */
function isOfDevice({ class: kind, text }: Finding): boolean {
  return kind === 'code-other' && /\b(?:CUDA|HIP|XLA|TPU|cuda|hip)\b/.test(text);
}

const LIKE_TAKEN: readonly FailureClass[] = ['infra-cluster', 'network', 'stalled'];

/** Among what others say of a failure, the class that is nearest to it: a closed connection follows from nearly all. */
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

/** An exception, whoever's it is, as it stands at the beginning of a line. */
const RAISED = /^\s{0,8}([A-Za-z_][\w.]*)(?:[:(]|$)/;
const RAISED_NAME = /(?:Error|Exception|StopIteration|Unsupported)$/;
/** A value that is no number, as progress and metrics print it. */
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
  /\b(?:(?:can(?:no|')t|could not|couldn't|unable to|failed to) (?:be )?(?:decode|parse|read|open|load|find|authenticate|token)\w{0,4}|unexpected (?:end|EOF)\b|EOF while|decode error|out of range\b|is empty$|(?:but|was|it) (?:got|found|has) \d|expected \d{1,12} (?!GPU|device|host|node|rank|chip)|bad magic|validation)|\bid \d{1,12} >= /i;
const REFUSED =
  /^usage: |\b(?:invalid|mismatch|(?:does|do) not match|not allowed|validation failed|unknown (?:option|key|argument|field)|permission denied|expired|login required|unauthori[sz]ed|forbidden|no access|No module named|GLIBC[\w.]{0,12} not found|quota exceeded|I\/O error|must be (?:a |one |set))\b/i;
/** What launchers, links and runtimes say of themselves while the job dies, as an error too. */
const MACHINERY =
  /\b(?:watchdog|collective|megascale|DCN|coordination|dump signal|heartbeat|PG ID|plugin|metric server|session|DIST|exitcode|conda run|task finished|job exited)\b/i;
const SAID = [NO_NUMBER, NO_NUMBER_APART, INFINITE, FAULT, THROWN, MEMORY, READ, REFUSED];

/** Whether a line that no row knows tells of a failure all the same. */
export function isAlarm(text: string, level: Level | null): boolean {
  if (level === 'quiet' || level === 'warning' || MACHINERY.test(text)) return false;
  if (level === 'error') return true;
  const raised = RAISED.exec(text)?.[1]?.split('.').at(-1) ?? '';
  return (RAISED_NAME.test(raised) && !WRAPPERS.test(raised)) || SAID.some((pattern) => pattern.test(text));
}

/**
 * Whether what was chosen may only follow from something that was not understood: what starts a job again, or takes its
 * machine away, has to be the first failure, and what others say of one comes after it wherever it stands.
 */
export function isOvershadowed(
  chosen: Finding,
  findings: readonly Finding[],
  alarms: readonly number[],
): boolean {
  if (!ACTS.includes(FIRST_RESPONSE[chosen.class])) return false;
  return (
    alarms.some((line) => chosen.weight !== 'cause' || line < chosen.line) ||
    findings.some((one) => one.line < chosen.line && one.weight !== 'cause' && isAnother(one))
  );
}

/** Whether it is a person's, and says something of its own: who ended a job may be told behind the end. */
function isAnother({ class: kind }: Finding): boolean {
  return kind !== 'unknown' && !ACTS.includes(FIRST_RESPONSE[kind]) && !TRIED_AGAIN.includes(kind);
}

const ACTS: readonly FirstResponse[] = ['retry-bounded', 'propose-node'];
/** What others print while the links or the machines below them go. */
const TRIED_AGAIN: readonly FailureClass[] = ['infra-cluster', 'capacity', 'storage'];
