/** Of all that a log tells, what the job died of. */

import { type FailureClass, FIRST_RESPONSE } from '../domain/failure-class.ts';
import type { Row } from './row.ts';
import type { Raised } from './traceback.ts';

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
  return known !== undefined && FIRST_RESPONSE[known.class] !== 'relaunch' ? known : first;
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
