/**
 * Facts that cost a request, and that a decision asks for by name where it cannot go on without: it returns the need, they
 * are read, and it is asked again. Nobody guesses beforehand what a decision will want.
 */

import type { RunFacts } from './facts.ts';
import { type Observed, unknown } from './observed.ts';

export type Need = keyof Pick<
  RunFacts,
  | 'launchRuns'
  | 'watchRuns'
  | 'stopRuns'
  | 'careRuns'
  | 'closureLog'
  | 'smallFix'
  | 'fixer'
  | 'people'
  | 'sealTag'
  | 'containerImage'
  | 'checkpoints'
  | 'cardHistory'
  | 'change'
  | 'branchWork'
  | 'changedSince'
  | 'searchedRoots'
>;

/** Nothing yet: what comes next depends on facts that nobody has read. */
export type Needing = { readonly kind: 'need'; readonly facts: readonly Need[] };

/** Waits for these facts to be read, all of them together. */
export function need(...facts: readonly Need[]): Needing {
  return { kind: 'need', facts };
}

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
