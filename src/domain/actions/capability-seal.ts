/**
 * Creates capabilities and remembers which ones it created, so that a cast or copied object has no effect. Only `actions/mint.ts` may
 * create them and only `capability.ts` may read them; an import rule enforces this.
 */

import type { Instant } from '../values.ts';
import type { ActionStep } from './action.ts';

declare const verified: unique symbol;

/** Permission for exactly the steps of one verified action, each once, until an instant. Opaque. */
export type Capability = { readonly [verified]: 'a verified action' };

export type Grant = { readonly steps: readonly ActionStep[]; readonly until: Instant };

const grants = new WeakMap<Capability, { readonly grant: Grant; spent: number }>();

/** Creates a capability for the grant. */
export function sealCapability(grant: Grant): Capability {
  // The brand exists only for the compiler.
  const capability = Object.freeze({}) as Capability;
  grants.set(capability, { grant, spent: 0 });
  return capability;
}

/** Returns the grant and how many of its steps are spent; null if `sealCapability` did not create this object. */
export function readGrant(capability: Capability): { readonly grant: Grant; spent: number } | null {
  return grants.get(capability) ?? null;
}
