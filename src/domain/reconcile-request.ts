/** A trigger: a reason to reconcile. It carries hints about where to start, never facts for a decision (architecture, D2). */

import type { Actor, Surface } from './actor.ts';
import type { RunFacts } from './facts.ts';
import { commentId } from './marker.ts';
import { assertNever, type Digest, type Instant, type Observed, unknown } from './values.ts';

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

/** `gates`: all facts of the gates, which run before the requesting decision. An object: one of many facts of the same kind. */
export type Need =
  | FactName
  | 'gates'
  | { readonly fact: 'failedJobs'; readonly of: number }
  | { readonly fact: 'workflowRuns'; readonly of: number }
  | { readonly fact: 'permissions'; readonly of: Actor }
  | { readonly fact: 'cited'; readonly of: { readonly surface: Surface; readonly comment: number } }
  | { readonly fact: 'proposalTexts'; readonly of: Digest };

/** Unique key of a need. */
export function factKey(one: Need): string {
  if (typeof one === 'string') return one;
  switch (one.fact) {
    case 'permissions':
      return `${one.fact} of ${one.of.id}`;
    case 'cited':
      return `${one.fact} ${commentId({ surface: one.of.surface, id: one.of.comment })}`;
    case 'failedJobs':
    case 'workflowRuns':
    case 'proposalTexts':
      return `${one.fact} of ${one.of}`;
    default:
      return assertNever(one);
  }
}

/** No decision yet: facts are missing. */
export type FactRequest = { readonly kind: 'need'; readonly facts: readonly Need[] };

/** Requests these facts together. */
export function request(...facts: readonly Need[]): FactRequest {
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

export type ReconcileRequest =
  /** `hasSlash`: the comment contains a slash word, so post a receipt immediately. */
  | {
      readonly kind: 'comment';
      readonly surface: Surface;
      readonly comment: number;
      readonly thread: number;
      readonly hasSlash: boolean;
      /** The author. Outsiders get no 👀 without a permission. */
      readonly from?: { readonly id: number; readonly login: string; readonly isOutsider: boolean };
      /** When the comment was written or edited. A sweep sets it, because that may be long ago. */
      readonly at?: Instant;
    }
  /** A comment without a command; a gate may wait for it. */
  | { readonly kind: 'remark'; readonly thread: number }
  /**
   * A thread was edited, labelled, pushed to or closed. `isExperiment`: an open issue with the label `experiment`. `labels`: labels of
   * an open thread.
   */
  | {
      readonly kind: 'thread';
      readonly thread: number;
      readonly isExperiment?: true;
      readonly labels?: readonly string[];
    }
  /** The logbook, the default branch (which holds the config) or a proposal's branch was pushed. Full ref name. */
  | { readonly kind: 'push'; readonly ref: string }
  /** If `workflowRun` is absent, any workflow run may have ended. */
  | { readonly kind: 'workflow-ended'; readonly workflowRun?: number }
  /** Periodic: find everything that was missed. */
  | {
      readonly kind: 'sweep';
      /** This sweep replaces triggers that were dropped, so it must not be skipped. */
      readonly isOwed?: true;
    };

/** Author associations of known people (docs.github.com/graphql, CommentAuthorAssociation). */
const INSIDERS: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Only a hint for receipts: GitHub reports private members as outsiders. */
export function isOutsideAuthor(association: string | null | undefined): boolean {
  return typeof association === 'string' && !INSIDERS.has(association);
}

// A slash, a similar character or its HTML entity, but not after a word, in a tag or in a URL.
const SLASH_WORD = /(?:^|[^\p{L}\p{N}/:.<])[/\uff0f\u2215\u2044\u29f8\u2571][^\s/]|&(?:#0*47|#x0*2f|sol);/imu;

/** Whether a comment may contain a command; the grammar parses it later. A false positive costs one trigger; a false negative delays a command until the next sweep. */
export function mayContainCommand(body: string): boolean {
  return SLASH_WORD.test(body);
}
