/**
 * Facts that cost a request. A decision returns the needs it cannot continue without; they are read, and the decision runs again. Nothing
 * is fetched speculatively.
 */

import type { Actor, Surface } from './actor.ts';
import { commentName } from './answer-key.ts';
import type { RunFacts } from './facts.ts';
import { assertNever, type Digest, type Observed, unknown } from './values.ts';

/** `comments`: the run's threads, with the pull request, the issue and the checks. */
export type FactName = keyof Pick<
  RunFacts,
  | 'comments'
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

/** `gates`: all facts of the gates, and their judgement before the decision that asks. Otherwise one of many facts of the same kind. */
export type Need =
  | FactName
  | 'gates'
  | { readonly fact: 'failedJobs'; readonly of: number }
  | { readonly fact: 'workflowRuns'; readonly of: number }
  | { readonly fact: 'permissions'; readonly of: Actor }
  | { readonly fact: 'cited'; readonly of: { readonly surface: Surface; readonly comment: number } }
  | { readonly fact: 'proposalTexts'; readonly of: Digest };

/** Unique key of a need. */
export function needName(one: Need): string {
  if (typeof one === 'string') return one;
  switch (one.fact) {
    case 'permissions':
      return `${one.fact} of ${one.of.id}`;
    case 'cited':
      return `${one.fact} ${commentName({ surface: one.of.surface, id: one.of.comment })}`;
    case 'failedJobs':
    case 'workflowRuns':
    case 'proposalTexts':
      return `${one.fact} of ${one.of}`;
    default:
      return assertNever(one);
  }
}

/** No decision yet: facts are missing. */
export type Needing = { readonly kind: 'need'; readonly facts: readonly Need[] };

/** Requests these facts together. */
export function need(...facts: readonly Need[]): Needing {
  return { kind: 'need', facts };
}

const NOT_ASKED = 'not asked for';

/** A fact that was not requested yet. */
export function notAsked(): Extract<Observed<never>, { readonly kind: 'unknown' }> {
  return unknown(NOT_ASKED);
}

/** Distinguishes a fact that was never requested from one that could not be read. */
export function isNotAsked(fact: Observed<unknown>): boolean {
  return fact.kind === 'unknown' && fact.why === NOT_ASKED;
}
