/** What the doctor says about one thing that ferrybot relies on and a lab has to set up. */

import type { Observed } from '../../../domain/observed.ts';

export type Finding = {
  /** A word that stays the same, such as `environment-branches`; docs/threat-model.md lists them. */
  readonly check: string;
  /** `warning`: a lab may choose it, and has to know. `unknown`: this token cannot see it; never taken for ok. */
  readonly state: 'ok' | 'warning' | 'missing' | 'unknown';
  readonly found: string;
  /** What a person should do; empty where the state is ok. */
  readonly todo: string;
};

export type Verdict = Pick<Finding, 'state' | 'found'>;

/** Missing with every fault, or ok with `fine`. */
export function verdictOn(faults: readonly string[], fine: string): Verdict {
  return faults.length > 0 ? { state: 'missing', found: faults.join('; ') } : { state: 'ok', found: fine };
}

/** The same where some facts could not be read: a fault that is known counts, and without one the answer is unknown. */
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

/** Judges a fact that is known; one that is not is unknown. */
export function given<Value>(fact: Observed<Value>, judge: (value: Value) => Verdict): Verdict {
  return fact.kind === 'known' ? judge(fact.value) : { state: 'unknown', found: fact.why };
}
