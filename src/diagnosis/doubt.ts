/** Whether what a log seems to have died of is more than a guess: `unknown` is told rather than one. */

import type { FailureClass } from '../domain/failure-class.ts';
import type { Finding } from './choose-finding.ts';

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
export function isGuess(
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
