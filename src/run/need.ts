/**
 * Facts that cost a request, and that a decision asks for by name where it cannot go on without: it returns the need, they
 * are read, and it is asked again. Nobody guesses beforehand what a decision will want.
 */

import type { RunFacts } from '../domain/facts.ts';
import { type Observed, unknown } from '../domain/observed.ts';

export type Need = keyof Pick<
  RunFacts,
  'launchRuns' | 'watchRuns' | 'stopRuns' | 'careRuns' | 'closureLog' | 'smallFix' | 'fixer'
>;

/** Why a fact is unknown that nobody has asked for. */
export const NOT_ASKED = 'not asked for';

/** A fact that nobody has asked for yet. */
export function notAsked(): Extract<Observed<never>, { readonly kind: 'unknown' }> {
  return unknown(NOT_ASKED);
}

/** Whether it was never read, rather than read in vain. */
export function isNotAsked(fact: Observed<unknown>): boolean {
  return fact.kind === 'unknown' && fact.why === NOT_ASKED;
}
