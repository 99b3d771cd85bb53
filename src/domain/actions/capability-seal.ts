/**
 * Makes capabilities and knows which ones it made: one that somebody wrote down, copied or cast is none. Only
 * `actions/mint.ts` may make them and only `capability.ts` may look inside (an import arrow says so).
 */

import type { Instant } from '../ids.ts';
import type { ActionStep } from './step.ts';

declare const verified: unique symbol;

/** Permission for exactly the steps of one verified action, each once, until a moment. It shows nothing of itself. */
export type Capability = { readonly [verified]: 'a verified action' };

export type Grant = { readonly steps: readonly ActionStep[]; readonly until: Instant };

const grants = new WeakMap<Capability, { readonly grant: Grant; spent: number }>();

/** A new capability for this grant. */
export function sealCapability(grant: Grant): Capability {
  // The mark exists for the compiler alone; this is the one place where it is put on.
  const capability = Object.freeze({}) as Capability;
  grants.set(capability, { grant, spent: 0 });
  return capability;
}

/** The grant of a capability that was made here and how many of its steps are spent; null for anything else. */
export function grantOf(capability: Capability): { readonly grant: Grant; spent: number } | null {
  return grants.get(capability) ?? null;
}
