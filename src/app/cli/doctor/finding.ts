/** One finding of the doctor. */

import type { Observed } from '../../../domain/values.ts';

export type Finding = {
  /** A stable id such as `environment-branches` (listed in docs/threat-model.md). */
  readonly check: string;
  /** `warning`: allowed, but worth knowing. `unknown`: this token cannot see it; it never counts as ok. */
  readonly state: 'ok' | 'warning' | 'missing' | 'unknown';
  readonly found: string;
  /** The next action; empty if the state is ok. */
  readonly todo: string;
};

export type Verdict = Pick<Finding, 'state' | 'found'>;

/** Missing with every fault, or ok. */
export function verdictOn(faults: readonly string[], fine: string): Verdict {
  return faults.length > 0 ? { state: 'missing', found: faults.join('; ') } : { state: 'ok', found: fine };
}

/** The same for facts that may be unknown: a known fault counts, otherwise the verdict is unknown. */
export function verdictAmong(
  faults: readonly string[],
  facts: readonly Observed<unknown>[],
  fine: string,
): Verdict {
  const [away] = facts.flatMap((fact) => (fact.kind === 'unknown' ? [fact.why] : []));
  return faults.length === 0 && away !== undefined
    ? { state: 'unknown', found: away }
    : verdictOn(faults, fine);
}

/** Judges a known fact. */
export function given<Value>(fact: Observed<Value>, judge: (value: Value) => Verdict): Verdict {
  return fact.kind === 'known' ? judge(fact.value) : { state: 'unknown', found: fact.why };
}
