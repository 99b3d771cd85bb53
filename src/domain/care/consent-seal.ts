/**
 * Makes consent tokens and knows which ones it made: one that somebody wrote down, copied or cast is none. Only
 * `care/consent.ts` may make them and only `consent-token.ts` may look inside (an import arrow says so).
 */

import type { Instant } from '../ids.ts';
import type { MutationStep } from './mutation.ts';

declare const consent: unique symbol;

/** Permission for exactly the steps of one proposal, each once, until a moment. It shows nothing of itself. */
export type ConsentToken = { readonly [consent]: 'a recorded consent' };

export type Grant = { readonly steps: readonly MutationStep[]; readonly until: Instant };

const grants = new WeakMap<ConsentToken, { readonly grant: Grant; spent: number }>();

/** A new token for this grant. */
export function sealConsent(grant: Grant): ConsentToken {
  // The mark exists for the compiler alone; this is the one place where it is put on.
  const token = Object.freeze({}) as ConsentToken;
  grants.set(token, { grant, spent: 0 });
  return token;
}

/** The grant of a token that was made here and how many of its steps are spent; null for anything else. */
export function grantOf(token: ConsentToken): { readonly grant: Grant; spent: number } | null {
  return grants.get(token) ?? null;
}
