/** Every adapter that changes the outside world calls `spendCapability` first, with the exact call it is about to make. */

import type { Instant } from '../values.ts';
import { type ActionStep, isSameStep } from './action.ts';
import { type Capability, readGrant } from './capability-seal.ts';

export type { Capability } from './capability-seal.ts';

export type Permit = { readonly capability: Capability; readonly now: Instant };

/** An unverified call: always a bug, never an expected outcome. */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError';
}

/**
 * Uses up the next step. Throws `CapabilityError` for an unminted, expired or used-up capability. Also throws if any argument of the step
 * differs from the next step of the capability.
 */
export function spendCapability({ capability, now }: Permit, step: ActionStep): void {
  const held = readGrant(capability);
  if (held === null) throw new CapabilityError(`${step.kind} with a capability that was not minted`);
  if (now >= held.grant.until) throw new CapabilityError(`${step.kind} after the capability had run out`);
  const next = held.grant.steps[held.spent];
  if (next === undefined) throw new CapabilityError(`${step.kind} with a capability that is used up`);
  if (!isSameStep(next, step)) throw new CapabilityError(`${step.kind} is not what was consented to`);
  held.spent += 1;
}
