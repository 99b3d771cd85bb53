/**
 * Facts that cost a request, and that a decision asks for by name where it cannot go on without: it returns the need, they
 * are read, and it is asked again. Nobody guesses beforehand what a decision will want.
 */

import type { Actor } from './actor.ts';
import { commentName } from './answer-key.ts';
import { assertNever } from './assert.ts';
import type { Surface } from './command.ts';
import type { RunFacts } from './facts.ts';
import type { Digest } from './ids.ts';
import { type Observed, unknown } from './observed.ts';

/** A fact that is asked for as a whole. */
export type FactName = keyof Pick<
  RunFacts,
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

/** One of many: a workflow run, why it failed, somebody's permission, an approving comment that no thread shows, the text that shows a proposal. */
export type Need =
  | FactName
  | { readonly fact: 'failedJobs'; readonly of: number }
  | { readonly fact: 'workflowRuns'; readonly of: number }
  | { readonly fact: 'permissions'; readonly of: Actor }
  | { readonly fact: 'cited'; readonly of: { readonly surface: Surface; readonly comment: number } }
  | { readonly fact: 'proposalTexts'; readonly of: Digest };

/** What is asked for, told apart from all else that may be. */
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

/** Nothing yet: what comes next depends on facts that nobody has read. */
export type Needing = { readonly kind: 'need'; readonly facts: readonly Need[] };

/** Waits for these facts to be read, all of them together. */
export function need(...facts: readonly Need[]): Needing {
  return { kind: 'need', facts };
}

/** Why a fact is unknown that nobody has asked for. */
const NOT_ASKED = 'not asked for';

/** A fact that nobody has asked for yet. */
export function notAsked(): Extract<Observed<never>, { readonly kind: 'unknown' }> {
  return unknown(NOT_ASKED);
}

/** Whether it was never read, rather than read in vain. */
export function isNotAsked(fact: Observed<unknown>): boolean {
  return fact.kind === 'unknown' && fact.why === NOT_ASKED;
}
