/** The answer of one check, and how faults and unknown facts become one. */

import type { Observed } from '../../../domain/values.ts';
import type { Facts } from './facts.ts';

export type Finding = {
  /** A stable id such as `environment-branches` (listed in docs/threat-model.md). */
  readonly check: string;
  /** `warning`: allowed, but worth knowing. `unknown`: this token cannot see it; it never counts as ok. */
  readonly state: 'ok' | 'warning' | 'missing' | 'unknown';
  readonly found: string;
  /** The next action; empty if the state is ok. */
  readonly remedy: string;
};

export type Verdict = Pick<Finding, 'state' | 'found'>;

/** `missing` with all faults, or `ok`. */
export function verdictFromFaults(faults: readonly string[], okText: string): Verdict {
  return faults.length > 0 ? { state: 'missing', found: faults.join('; ') } : { state: 'ok', found: okText };
}

/** Same as `verdictOn`, for facts that may be unknown: a known fault decides, otherwise an unknown fact makes the verdict unknown. */
export function verdictAmong(faults: readonly string[], facts: readonly Observed<unknown>[], okText: string): Verdict {
  const [away] = facts.flatMap((fact) => (fact.kind === 'unknown' ? [fact.why] : []));
  return faults.length === 0 && away !== undefined
    ? { state: 'unknown', found: away }
    : verdictFromFaults(faults, okText);
}

/** Judges a known fact. */
export function judgeKnown<Value>(fact: Observed<Value>, judge: (value: Value) => Verdict): Verdict {
  return fact.kind === 'known' ? judge(fact.value) : { state: 'unknown', found: fact.why };
}

export type Check = {
  readonly id: string;
  readonly judge: (facts: Facts) => Verdict;
  readonly advice: (facts: Facts) => string;
};
